"""What connects memviz with other libraries: ``log_to()`` for TensorBoard, W&B and MLflow, and callbacks that record the
trainings of others. Each module of these is imported by name, and imports its library."""

from memviz_torch.integrations.loggers import log_to

__all__ = ["log_to"]

"""profile.proto of github.com/google/pprof, as a class of PyPI's protobuf."""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Field = descriptor_pb2.FieldDescriptorProto
INT, UINT, TEXT, BOOL, MESSAGE = Field.TYPE_INT64, Field.TYPE_UINT64, Field.TYPE_STRING, Field.TYPE_BOOL, Field.TYPE_MESSAGE

# name: number, type (a message by its name); a * says that it is repeated.
MESSAGES = {
    "ValueType": {"type": (1, INT), "unit": (2, INT)},
    "Label": {"key": (1, INT), "str": (2, INT), "num": (3, INT), "num_unit": (4, INT)},
    "Sample": {"location_id*": (1, UINT), "value*": (2, INT), "label*": (3, "Label")},
    "Line": {"function_id": (1, UINT), "line": (2, INT), "column": (3, INT)},
    "Location": {"id": (1, UINT), "mapping_id": (2, UINT), "address": (3, UINT), "line*": (4, "Line"), "is_folded": (5, BOOL)},
    "Function": {"id": (1, UINT), "name": (2, INT), "system_name": (3, INT), "filename": (4, INT), "start_line": (5, INT)},
    "Profile": {
        "sample_type*": (1, "ValueType"), "sample*": (2, "Sample"), "location*": (4, "Location"), "function*": (5, "Function"),
        "string_table*": (6, TEXT), "drop_frames": (7, INT), "keep_frames": (8, INT), "time_nanos": (9, INT),
        "duration_nanos": (10, INT), "period_type": (11, "ValueType"), "period": (12, INT), "comment*": (13, INT),
        "default_sample_type": (14, INT),
    },
}  # fmt: skip


def profile_class():
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package="perftools.profiles", syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            added = message.field.add(name=field.rstrip("*"), number=number)
            added.label = Field.LABEL_REPEATED if field.endswith("*") else Field.LABEL_OPTIONAL
            added.type = MESSAGE if isinstance(kind, str) else kind
            if isinstance(kind, str):
                added.type_name = f".perftools.profiles.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("perftools.profiles.Profile"))


Profile = profile_class()

"""Resumes AdamW, whose counter of steps then lies on the GPU, as does the number of the epoch; and CTC loss with lengths of the
host."""

import io

import torch

model = torch.nn.Linear(20, 20)
optimizer = torch.optim.AdamW(model.parameters())
model(torch.zeros(1, 20)).sum().backward()
optimizer.step()
file = io.BytesIO()
torch.save({"optimizer": optimizer.state_dict(), "epoch": torch.tensor([3])}, file)
file.seek(0)
saved = torch.load(file, map_location="cuda")
model.cuda()
optimizer = torch.optim.AdamW(model.parameters())
optimizer.load_state_dict(saved["optimizer"])
scores = model(torch.zeros(50, 16, 20, device="cuda")).log_softmax(2)
targets = torch.ones(16, 20, dtype=torch.long, device="cuda")
lengths = torch.full((16,), 50), torch.full((16,), 20)
torch.nn.functional.ctc_loss(scores, targets, *lengths).backward()
optimizer.step()
print("epoch", int(saved["epoch"]))

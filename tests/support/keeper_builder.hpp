#pragma once

// `memviz_keepers` as the recorder writes it:
//   KeeperBuilder keepers;
//   const int frame = keepers.object("frame", {.name = "train", .file = "train.py", .line = 12});
//   keepers.root("local", frame).refer(frame, "local", "x", keepers.tensor(0x1000, 512));
//   snapshot.set("memviz_keepers", keepers.python());

#include "support/python_value.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace memviz::test {

struct BuiltObject {
  std::string name = {};
  std::string file = {};
  int line = 0;
  int items = -1;
  int hidden = 0;
};

class KeeperBuilder {
public:
  /// Returns the number of a new object.
  int object(const std::string& kind, const BuiltObject& facts = {});
  /// Returns the number of a new tensor with its storage.
  int tensor(std::uint64_t address, std::uint64_t bytes, const std::string& kind = "tensor");
  KeeperBuilder& refer(int from, const std::string& how, const std::string& label, int to);
  KeeperBuilder& refer(int from, const std::string& how, int index, int to);
  KeeperBuilder& root(const std::string& kind, int object);
  KeeperBuilder& storage(int object, std::uint64_t address, std::uint64_t bytes);

  /// `how`: "set" or "used".
  KeeperBuilder& place(int root, const std::string& variable, const std::string& how, const BuiltObject& code);

  [[nodiscard]] PythonValue python() const;

private:
  using Words = std::map<std::string, PythonItems>;

  int number_of(const std::string& list, const std::string& word);
  void add(const std::string& column, PythonValue value) { columns_[column].push_back(std::move(value)); }

  Words columns_ = {{"texts", {""}}};
};

} // namespace memviz::test

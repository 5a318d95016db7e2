#include "annotations.hpp"

#include "recorder.hpp"

#include <utility>

namespace memviz::capture {
namespace {

std::size_t bytes_of(const AnnotationData& annotation) {
  return sizeof(annotation) + annotation.name.capacity();
}

} // namespace

void AnnotationRing::add(std::string_view name, const char* stage, std::int64_t time_us) {
  ring_.push_back({std::string(name), stage, 0, time_us});
  bytes_ += bytes_of(ring_.back());
  while (!ring_.empty() && (ring_.size() > max_entries_ || bytes_ > max_bytes_)) {
    bytes_ -= bytes_of(ring_.front());
    ring_.pop_front();
  }
}

Annotation::Annotation(std::string name) : name_(std::move(name)) {
  report_annotation(name_, "START");
}

Annotation::~Annotation() {
  report_annotation(name_, "END");
}

} // namespace memviz::capture

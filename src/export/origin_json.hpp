#pragma once

// The writer of a file, in JSON.

#include "base/json_object.hpp"
#include "memviz/device_kind.hpp"
#include "memviz/recording.hpp"

#include <string_view>

namespace memviz {

[[nodiscard]] inline std::string_view device_kind_key(DeviceKind kind) {
  return words_of(kind).key;
}

inline constexpr std::string_view kDeviceKindMeaning =
    "The kind of device, as far as the file shows; cuda where nothing shows another one";
inline constexpr auto kNamedDeviceKind =
    named(device_kind_key, DeviceKind::cuda, DeviceKind::cpu).others_as(DeviceKind::cuda);

inline constexpr std::string_view kMadeUpSegmentsMeaning =
    "Whether the file has no segments (a profiler's trace, folded stacks), so that they are made up and show nothing "
    "about the allocator";

inline constexpr auto kOrigin =
    json_object<Origin>({}, member("encoding", "Such as `pickle protocol 4` or `JSON`", &Origin::encoding),
                        member("generation", "Which PyTorch wrote it, as far as its keys show", &Origin::generation),
                        member("device_kind", kDeviceKindMeaning, &Origin::device_kind, kNamedDeviceKind),
                        member("are_segments_made_up", kMadeUpSegmentsMeaning, &Origin::are_segments_made_up));

} // namespace memviz

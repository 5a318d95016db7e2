#include "analysis/explain/allocator_model.hpp"

#include "memviz/replay.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;
using memviz::test::KiB;
using memviz::test::MiB;

namespace {

AllocatorModel::Handle allocated(AllocatorModel& model, std::uint64_t bytes, std::int64_t stream = 0,
                                 const PoolId& pool = {}) {
  const auto handle = model.alloc(bytes, stream, pool);
  REQUIRE(handle.has_value());
  return *handle;
}

AllocatorSettings expandable() {
  AllocatorSettings settings;
  settings.expandable_segments = true;
  return settings;
}

} // namespace

TEST_CASE("rounded_request") {
  AllocatorSettings settings;
  CHECK(rounded_request(settings, 1) == 512);
  CHECK(rounded_request(settings, 512) == 512);
  CHECK(rounded_request(settings, 513) == 1024);
  SUBCASE("with roundup_power2_divisions") {
    settings.roundup_divisions.fill(4);
    CHECK(rounded_request(settings, 1200 * KiB) == 1280 * KiB); // steps of 256 KiB above 1 MiB
    CHECK(rounded_request(settings, 2 * MiB) == 2 * MiB);
    CHECK(rounded_request(settings, 2048) == 2048); // not above 4 blocks of 512
    CHECK(rounded_request(settings, 2049) == 2560);
  }
}

TEST_CASE("new_segment_bytes") {
  CHECK(new_segment_bytes(512) == 2 * MiB);
  CHECK(new_segment_bytes(MiB) == 2 * MiB);
  CHECK(new_segment_bytes(MiB + 512) == 20 * MiB);
  CHECK(new_segment_bytes(10 * MiB - 512) == 20 * MiB);
  CHECK(new_segment_bytes(10 * MiB) == 10 * MiB);
  CHECK(new_segment_bytes(11 * MiB) == 12 * MiB);
}

TEST_CASE("allocator_settings reads what the file shows") {
  test::SmallSnapshot snapshot;
  snapshot.setting("expandable_segments", "true").setting("max_split_size", "67108864");
  snapshot.setting("roundup_power2_divisions.1", "8").setting("roundup_power2_divisions.32768", "2");
  snapshot.setting("roundup_power2_divisions.3", "9").setting("garbage_collection_threshold", "0.8");
  const AllocatorSettings settings = allocator_settings(replay(snapshot.take()));
  CHECK(settings.expandable_segments);
  CHECK(settings.max_split_bytes == 64 * MiB);
  CHECK(settings.roundup_divisions.front() == 8);
  CHECK(settings.roundup_divisions.back() == 2);
  CHECK(settings.collects_garbage);
  test::SmallSnapshot unset;
  unset.setting("max_split_size", "-1");
  CHECK(allocator_settings(replay(unset.take())).max_split_bytes == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("allocator_settings names what PYTORCH_CUDA_ALLOC_CONF has and the model does not follow") {
  const auto settings_of = [](std::string_view configuration) {
    test::SmallSnapshot snapshot;
    snapshot.setting("PYTORCH_CUDA_ALLOC_CONF", configuration);
    return allocator_settings(replay(snapshot.take()));
  };
  using Names = std::vector<std::string>;
  SUBCASE("nothing of these changes places, or the model follows it") {
    for (const char* const configuration :
         {"", ",", "expandable_segments:True", "max_split_size_mb:128,garbage_collection_threshold:0.8",
          "roundup_power2_divisions:[256:1,512:2,1024:4,>:8], backend:native",
          "pinned_use_cuda_host_register:True,pinned_num_register_threads:8,pinned_reserve_segment_size_mb:64",
          "release_lock_on_cudamalloc:True,graph_capture_record_stream_reuse:True,large_segment_size_mb:20",
          "per_process_memory_fraction:0.9,throw_on_cudamalloc_oom:True"})
      CHECK_MESSAGE(settings_of(configuration).not_modelled.empty(), configuration);
  }
  SUBCASE("these do, whatever they are") {
    CHECK(settings_of("expandable_segments:True,large_segment_size_mb:12").not_modelled ==
          Names{"large_segment_size_mb"});
    CHECK(settings_of("roundup_power2_divisions:[256:1,>:8] , page_size : 1g").not_modelled == Names{"page_size"});
    CHECK(settings_of("expandable_segments_reserve:0.5,expandable_segments_reserve_by_class:[capture:0.25,w:40G]")
              .not_modelled == Names{"expandable_segments_reserve", "expandable_segments_reserve_by_class"});
    CHECK(settings_of("backend:cudaMallocAsync").not_modelled == Names{"backend"});
    CHECK(settings_of("of_2027").not_modelled == Names{"of_2027"});
  }
  SUBCASE("a hostile text ends") {
    CHECK(settings_of("a:[b").not_modelled == Names{"a"});
    CHECK(settings_of("[,").not_modelled == Names{"[,"});
    CHECK(settings_of(std::string(100'000, 'x') + std::string(100, ',') + "y:1").not_modelled.front().size() == 60);
    std::string many;
    for (int i = 0; i < 1000; ++i)
      many += "n" + std::to_string(i) + ":1,";
    CHECK(settings_of(many).not_modelled.size() == 8);
  }
  SUBCASE("the slack of large blocks is modelled") {
    AllocatorSettings settings = settings_of("max_split_size_mb:64,max_non_split_rounding_mb:30");
    settings.max_split_bytes = 64 * MiB;
    AllocatorModel model(settings);
    model.free(allocated(model, 128 * MiB));
    allocated(model, 100 * MiB);
    CHECK(model.reserved_bytes() == 128 * MiB);
  }
}

TEST_CASE("AllocatorModel places blocks as PyTorch does") {
  AllocatorModel model{AllocatorSettings{}};
  SUBCASE("small requests share segments of 2 MiB, medium ones of 20 MiB, large ones get their own") {
    allocated(model, 100);
    allocated(model, 1000);
    CHECK(model.reserved_bytes() == 2 * MiB);
    allocated(model, 3 * MiB);
    allocated(model, 9 * MiB);
    CHECK(model.reserved_bytes() == 22 * MiB);
    allocated(model, 11 * MiB);
    CHECK(model.reserved_bytes() == 34 * MiB);
  }
  SUBCASE("the smallest free block that fits is taken, the lowest of equals") {
    const auto large = allocated(model, 64 * MiB);
    const auto medium = allocated(model, 32 * MiB);
    const std::uint64_t place = model.address(medium);
    model.free(large);
    model.free(medium);
    CHECK(model.address(allocated(model, 30 * MiB)) == place);
  }
  SUBCASE("of equals that of the oldest segment, from PyTorch 2.13 on") {
    AllocatorSettings settings;
    settings.free_block_order = FreeBlockOrder::segment_age;
    AllocatorModel by_age{settings};
    by_age.place_next_segment(80 * MiB);
    const auto first = allocated(by_age, 12 * MiB);
    by_age.place_next_segment(40 * MiB);
    const auto second = allocated(by_age, 12 * MiB);
    by_age.free(second);
    by_age.free(first);
    CHECK(by_age.address(allocated(by_age, 12 * MiB)) == 80 * MiB);
    CHECK(by_age.release_segment(40 * MiB, 12 * MiB, {}, 0));
  }
  SUBCASE("an address for a segment that an allocation does not need is not that of a later one") {
    model.free(allocated(model, 12 * MiB));
    model.place_next_segment(400 * MiB);
    allocated(model, 12 * MiB);
    CHECK(model.address(allocated(model, 12 * MiB)) != 400 * MiB);
  }
  SUBCASE("neighbours merge when they are freed") {
    const auto first = allocated(model, 8 * MiB);
    const auto second = allocated(model, 8 * MiB);
    model.free(first);
    CHECK(model.largest_free_bytes({{}, 0, false}) == 8 * MiB);
    model.free(second);
    CHECK(model.largest_free_bytes({{}, 0, false}) == 20 * MiB);
  }
  SUBCASE("a large block keeps a rest of up to 1 MiB") {
    model.free(allocated(model, 32 * MiB));
    allocated(model, 31 * MiB);
    CHECK(model.largest_free_bytes({{}, 0, false}) == 0);
  }
  SUBCASE("streams and pools do not share") {
    model.free(allocated(model, 32 * MiB, 1));
    allocated(model, 32 * MiB, 2);
    allocated(model, 32 * MiB, 1, {0, 1});
    CHECK(model.reserved_bytes() == 96 * MiB);
  }
  SUBCASE("max_split_size keeps large blocks whole") {
    AllocatorSettings settings;
    settings.max_split_bytes = 64 * MiB;
    AllocatorModel unsplit(settings);
    unsplit.free(allocated(unsplit, 128 * MiB));
    allocated(unsplit, 32 * MiB); // not from the large one
    CHECK(unsplit.reserved_bytes() == 160 * MiB);
    allocated(unsplit, 110 * MiB); // within 20 MiB of it
    CHECK(unsplit.reserved_bytes() == 160 * MiB);
  }
}

TEST_CASE("AllocatorModel gives cached memory back before it fails") {
  AllocatorModel model(AllocatorSettings{}, 100 * MiB);
  model.free(allocated(model, 60 * MiB));
  allocated(model, 80 * MiB);
  CHECK(model.reserved_bytes() == 80 * MiB);
  CHECK_FALSE(model.alloc(40 * MiB, 0, {}).has_value());
  SUBCASE("but not what a block in use pins") {
    AllocatorModel pinned(AllocatorSettings{}, 100 * MiB);
    const auto whole = allocated(pinned, 60 * MiB);
    pinned.free(whole);
    const auto pin = allocated(pinned, 2 * MiB);
    CHECK_FALSE(pinned.alloc(80 * MiB, 0, {}).has_value());
    pinned.free(pin);
    CHECK(pinned.alloc(80 * MiB, 0, {}).has_value());
  }
  SUBCASE("nor that of private pools") {
    AllocatorModel pools(AllocatorSettings{}, 100 * MiB);
    pools.free(allocated(pools, 60 * MiB, 0, {1, 0}));
    CHECK_FALSE(pools.alloc(80 * MiB, 0, {}).has_value());
  }
}

TEST_CASE("AllocatorModel with expandable segments") {
  AllocatorModel model(expandable(), 100 * MiB);
  SUBCASE("pages of 20 MiB are mapped as needed, 2 MiB in the small pool") {
    allocated(model, 30 * MiB);
    CHECK(model.reserved_bytes() == 40 * MiB);
    allocated(model, 100);
    CHECK(model.reserved_bytes() == 42 * MiB);
    allocated(model, 25 * MiB); // 10 MiB of it were mapped
    CHECK(model.reserved_bytes() == 62 * MiB);
  }
  SUBCASE("free pages go back even next to blocks in use") {
    const auto first = allocated(model, 60 * MiB);
    const auto second = allocated(model, 20 * MiB);
    model.free(first);
    allocated(model, 80 * MiB); // 60 MiB unmapped, the new block mapped after the second
    CHECK(model.reserved_bytes() == 100 * MiB);
    model.free(second);
    model.release_cached();
    CHECK(model.reserved_bytes() == 80 * MiB);
  }
  SUBCASE("a request that does not fit takes nothing") {
    allocated(model, 90 * MiB);
    CHECK_FALSE(model.alloc(40 * MiB, 0, {}).has_value());
    CHECK(model.reserved_bytes() <= 100 * MiB);
  }
}

TEST_CASE("AllocatorModel adopts a state as it is") {
  test::SmallSnapshot made;
  made.segment(0x1000000, 20 * MiB)
      .active(4 * MiB, 4 * MiB)
      .inactive(6 * MiB)
      .active(2 * MiB, MiB + 1)
      .inactive(8 * MiB);
  const MemoryMap state = made.take().end;
  AllocatorModel model{AllocatorSettings{}};
  const auto handles = model.adopt(state.segments[0], state.blocks_of(state.segments[0]), {{}, 0, false});
  REQUIRE(handles.size() == 4);
  CHECK(model.reserved_bytes() == 20 * MiB);
  CHECK(model.address(allocated(model, 5 * MiB)) == 0x1000000 + 4 * MiB);
  model.free(handles[2]);
  CHECK(model.largest_free_bytes({{}, 0, false}) == 10 * MiB); // the new block kept 1 MiB that was not worth a split
}

TEST_CASE("AllocatorModel joins mapped ranges with unmapped pages between them, and not those that adjoin") {
  const auto reserved_bytes_after = [](std::uint64_t second, std::uint64_t bytes) {
    test::SmallSnapshot made;
    made.segment(0x10000000, 20 * MiB).inactive(20 * MiB).segment(second, 20 * MiB).inactive(20 * MiB);
    MemoryMap state = made.take().end;
    AllocatorModel model(expandable());
    for (Segment& segment : state.segments) {
      segment.is_expandable = true;
      static_cast<void>(model.adopt(segment, state.blocks_of(segment), {{}, 0, false}));
    }
    static_cast<void>(allocated(model, bytes));
    return model.reserved_bytes();
  };
  CHECK(reserved_bytes_after(0x10000000 + 40 * MiB, 60 * MiB) == 60 * MiB); // the pages between are mapped
  CHECK(reserved_bytes_after(0x10000000 + 20 * MiB, 60 * MiB) == 80 * MiB); // PyTorch lists adjoining pages as one
}

TEST_CASE("AllocatorModel refuses requests that no device can hold") {
  AllocatorModel model{AllocatorSettings{}};
  CHECK_FALSE(model.alloc(std::numeric_limits<std::uint64_t>::max(), 0, {}).has_value());
  CHECK_FALSE(model.alloc(kMaxTotalBytes + 1, 0, {}).has_value());
  CHECK(model.reserved_bytes() == 0);
  AllocatorModel expanding{expandable()};
  CHECK_FALSE(expanding.alloc(kMaxTotalBytes, 0, {}).has_value()); // more than the addresses of a segment
}

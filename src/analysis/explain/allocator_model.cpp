#include "analysis/explain/allocator_model.hpp"

#include <algorithm>
#include <cassert>

namespace memviz {

std::optional<AllocatorModel::Handle> AllocatorModel::alloc(std::uint64_t bytes, std::int64_t stream,
                                                            const PoolId& pool) {
  if (bytes > kMaxTotalBytes) return std::nullopt;
  if (pool.is_private()) given_up_.erase(pool);
  const std::uint64_t rounded = rounded_request(settings_, bytes);
  const std::uint32_t shelf = shelf_of({pool, stream, rounded <= kSmallRequestBytes});
  PieceId id = find_free(shelves_[shelf], rounded);
  if (id != kNone) unshelve(id);
  if (id == kNone) id = grow(shelf, rounded);
  if (id == kNone && release_oversized(shelf, rounded)) id = grow(shelf, rounded);
  if (id == kNone && releases_cache_) {
    release_cached();
    id = grow(shelf, rounded);
  }
  next_segment_.reset();
  if (id == kNone) return std::nullopt;
  take(id, rounded);
  return id;
}

void AllocatorModel::free(Handle handle) {
  assert(pieces_[handle].use == Use::in_use);
  pieces_[handle].use = Use::free;
  merge(handle);
  shelve(handle);
}

void AllocatorModel::release_cached() {
  for (Shelf& shelf : shelves_)
    if (!shelf.key.pool.is_private() || given_up_.contains(shelf.key.pool)) release_shelf(shelf);
}

bool AllocatorModel::release_segment(std::uint64_t address, std::uint64_t bytes, const PoolId& pool,
                                     std::int64_t stream) {
  for (const bool is_small : {true, false}) {
    const auto shelf = shelf_by_key_.find({pool, stream, is_small});
    if (shelf == shelf_by_key_.end()) continue;
    const auto& free = shelves_[shelf->second].free;
    const auto found = free.lower_bound({bytes, segment_ages_.find(address).value_or(0), address, 0});
    if (found == free.end() || found->bytes != bytes || found->address != address || !is_whole(found->id)) continue;
    release_whole(found->id);
    return true;
  }
  return false;
}

std::uint64_t AllocatorModel::largest_free_bytes(const PoolKey& key) const {
  const auto found = shelf_by_key_.find(key);
  if (found == shelf_by_key_.end()) return 0;
  const auto& free = shelves_[found->second].free;
  return free.empty() ? 0 : free.rbegin()->bytes;
}

std::vector<AllocatorModel::Handle> AllocatorModel::adopt(const Segment& segment, std::span<const Block> blocks,
                                                          const PoolKey& key, std::uint64_t unmapped_bytes) {
  const std::uint32_t shelf = shelf_of(key);
  std::vector<Handle> handles;
  std::uint64_t base = segment.address;
  std::optional<std::uint64_t> range_age;
  PieceId before = kNone;
  if (segment.is_expandable && shelves_[shelf].last_adopted != kNone) {
    // The pages between two mapped ranges of one key belong to the same address range and are unmapped.
    const PieceId tail = shelves_[shelf].last_adopted;
    const Piece& gap = pieces_[tail];
    if (segment.address > gap.address && segment.address - gap.address < gap.bytes) {
      base = gap.base;
      range_age = gap.age;
      const std::uint64_t gap_bytes = segment.address - gap.address;
      remove_piece(split(tail, gap_bytes));
      pieces_[tail].after = kNone;
      before = tail;
    }
  }
  const std::uint64_t age = range_age ? *range_age : begin_segment(segment.address);
  if (segment.is_expandable && before == kNone && unmapped_bytes > 0 && unmapped_bytes <= segment.address) {
    base = segment.address - unmapped_bytes;
    before = add_piece({base, unmapped_bytes, base, age, kNone, kNone, shelf, Use::unmapped, true});
    shelve(before);
  }
  for (const Block& block : blocks) {
    const Use use = block.is_active() ? Use::in_use : Use::free;
    reserved_bytes_ += block.size_bytes;
    if (use == Use::free && !handles.empty() && pieces_[before].use == Use::free) { // only edited states have two
      unshelve(before);
      pieces_[before].bytes += block.size_bytes;
      shelve(before);
      handles.push_back(before);
      continue;
    }
    const PieceId id =
        add_piece({block.address, block.size_bytes, base, age, kNone, kNone, shelf, use, segment.is_expandable});
    if (before != kNone) link(before, id);
    if (use == Use::free) shelve(id);
    handles.push_back(id);
    before = id;
  }
  if (segment.is_expandable) {
    const std::uint64_t end = segment.address + segment.total_bytes;
    const std::uint64_t room = std::min(kRangeBytes, std::numeric_limits<std::uint64_t>::max() - end);
    const PieceId tail = add_piece({end, room, base, age, kNone, kNone, shelf, Use::unmapped, true});
    if (before != kNone) link(before, tail);
    shelve(tail);
    shelves_[shelf].last_adopted = tail;
  }
  return handles;
}

// Pieces and shelves

std::uint32_t AllocatorModel::shelf_of(const PoolKey& key) {
  const auto [entry, is_new] = shelf_by_key_.try_emplace(key, static_cast<std::uint32_t>(shelves_.size()));
  if (is_new) shelves_.push_back({key, {}, {}, kNone});
  return entry->second;
}

std::uint64_t AllocatorModel::begin_segment(std::uint64_t address) {
  const bool counts = settings_.free_block_order == FreeBlockOrder::segment_age;
  const std::uint64_t age = counts ? ++youngest_age_ : 0;
  if (counts) segment_ages_.insert(address, age);
  return age;
}

AllocatorModel::PieceId AllocatorModel::add_piece(const Piece& piece) {
  if (!unused_.empty()) {
    const PieceId id = unused_.back();
    unused_.pop_back();
    pieces_[id] = piece;
    return id;
  }
  pieces_.push_back(piece);
  return static_cast<PieceId>(pieces_.size() - 1);
}

void AllocatorModel::remove_piece(PieceId id) {
  unused_.push_back(id);
}

void AllocatorModel::shelve(PieceId id) {
  const Piece& piece = pieces_[id];
  Shelf& shelf = shelves_[piece.shelf];
  if (piece.use == Use::free) shelf.free.insert(as_free(id));
  if (piece.use == Use::unmapped) shelf.unmapped.insert({piece.address, id});
}

void AllocatorModel::unshelve(PieceId id) {
  const Piece& piece = pieces_[id];
  Shelf& shelf = shelves_[piece.shelf];
  if (piece.use == Use::free) shelf.free.erase(as_free(id));
  if (piece.use == Use::unmapped) shelf.unmapped.erase({piece.address, id});
}

void AllocatorModel::link(PieceId before, PieceId after) {
  if (before != kNone) pieces_[before].after = after;
  if (after != kNone) pieces_[after].before = before;
}

AllocatorModel::PieceId AllocatorModel::split(PieceId id, std::uint64_t bytes) {
  Piece rest = pieces_[id];
  rest.address += bytes;
  rest.bytes -= bytes;
  const PieceId rest_id = add_piece(rest);
  link(rest_id, rest.after);
  link(id, rest_id);
  pieces_[id].bytes = bytes;
  return rest_id;
}

void AllocatorModel::absorb_after(PieceId id) {
  const PieceId after = pieces_[id].after;
  pieces_[id].bytes += pieces_[after].bytes;
  const PieceId next = pieces_[after].after;
  pieces_[id].after = next;
  if (next != kNone) pieces_[next].before = id;
  remove_piece(after);
}

void AllocatorModel::merge(PieceId id) {
  const PieceId before = pieces_[id].before;
  if (before != kNone && pieces_[before].use == pieces_[id].use) {
    unshelve(before);
    // The merged piece keeps the handle of the piece that was freed: only that one is still referenced.
    pieces_[id].address = pieces_[before].address;
    pieces_[id].bytes += pieces_[before].bytes;
    const PieceId previous = pieces_[before].before;
    pieces_[id].before = previous;
    if (previous != kNone) pieces_[previous].after = id;
    remove_piece(before);
  }
  const PieceId after = pieces_[id].after;
  if (after != kNone && pieces_[after].use == pieces_[id].use) {
    unshelve(after);
    absorb_after(id);
  }
}

void AllocatorModel::take(PieceId id, std::uint64_t bytes) {
  Piece& piece = pieces_[id];
  const std::uint64_t rest_bytes = piece.bytes - bytes;
  const bool is_small = shelves_[piece.shelf].key.is_small;
  const bool splits = is_small || settings_.expandable_segments
                          ? rest_bytes >= kMinBlockBytes
                          : bytes < settings_.max_split_bytes && rest_bytes > kSmallRequestBytes;
  if (splits) {
    piece.use = Use::free;
    shelve(split(id, bytes));
  }
  pieces_[id].use = Use::in_use;
}

AllocatorModel::PieceId AllocatorModel::find_free(const Shelf& shelf, std::uint64_t bytes) const {
  auto found = shelf.free.lower_bound({bytes, 0, 0, 0});
  if (found == shelf.free.end()) return kNone;
  if (pieces_[found->id].is_expandable) {
    if (settings_.expandable_segments) {
      found = best_expandable(shelf, found);
    } else {
      while (found != shelf.free.end() && pieces_[found->id].is_expandable && spend(1))
        ++found;
      if (found == shelf.free.end() || pieces_[found->id].is_expandable) return kNone;
    }
  }
  const bool is_oversized = bytes >= settings_.max_split_bytes;
  if (!is_oversized && found->bytes >= settings_.max_split_bytes) return kNone;
  if (is_oversized && found->bytes - bytes >= settings_.oversize_slack_bytes) return kNone;
  return found->id;
}

/// For best fit, an expandable block counts with the size that it can grow to.
std::set<AllocatorModel::FreePiece>::const_iterator
AllocatorModel::best_expandable(const Shelf& shelf, std::set<FreePiece>::const_iterator found) const {
  const auto expandable_bytes = [&](PieceId id) {
    const PieceId after = pieces_[id].after;
    const bool can_grow = after != kNone && pieces_[after].use == Use::unmapped;
    return pieces_[id].bytes + (can_grow ? pieces_[after].bytes : 0);
  };
  auto next = std::next(found);
  while (pieces_[found->id].is_expandable && next != shelf.free.end() &&
         expandable_bytes(next->id) < expandable_bytes(found->id) && spend(1))
    found = next++;
  return found;
}

} // namespace memviz

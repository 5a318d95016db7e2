#include "analysis/explain/allocator_model.hpp"

#include <algorithm>

// The part of the model that deals with the device: new segments, mapping and unmapping pages, releasing cached memory.

namespace memviz {

std::uint64_t AllocatorModel::place(std::uint64_t bytes) {
  if (next_segment_) {
    const std::uint64_t address = *next_segment_;
    next_segment_.reset();
    return address;
  }
  const std::uint64_t address = free_address_;
  free_address_ += (bytes + kLargeSegmentBytes - 1) / kLargeSegmentBytes * kLargeSegmentBytes;
  return address;
}

AllocatorModel::PieceId AllocatorModel::grow(std::uint32_t shelf, std::uint64_t bytes) {
  if (settings_.expands(shelves_[shelf].key.pool)) return grow_expandable(shelf, bytes);
  const std::uint64_t segment_bytes = new_segment_bytes(bytes);
  if (segment_bytes > limit_bytes_ || reserved_bytes_ > limit_bytes_ - segment_bytes) return kNone;
  reserved_bytes_ += segment_bytes;
  const std::uint64_t address = place(segment_bytes);
  return add_piece({address, segment_bytes, address, begin_segment(address), kNone, kNone, shelf, Use::in_use, false});
}

/// Finds the lowest place, as PyTorch does, not the one that needs the fewest pages: unmapped pages that have room for
/// `bytes` together with free memory directly before them.
AllocatorModel::PieceId AllocatorModel::expandable_candidate(const Shelf& shelf, std::uint64_t bytes) const {
  for (const auto& [address, unmapped] : shelf.unmapped) {
    PieceId candidate = unmapped;
    const PieceId before = pieces_[unmapped].before;
    if (before != kNone && pieces_[before].use == Use::free) candidate = before;
    std::uint64_t room = 0;
    for (PieceId id = candidate; id != kNone && pieces_[id].use != Use::in_use; id = pieces_[id].after) {
      if (!spend(1)) return kNone;
      room += pieces_[id].bytes;
      if (room >= bytes) return candidate;
    }
  }
  return kNone;
}

std::uint64_t AllocatorModel::needed_bytes(std::uint64_t bytes, std::int64_t stream, const PoolId& pool) const {
  if (bytes > kMaxTotalBytes) return bytes;
  const std::uint64_t rounded = rounded_request(settings_, bytes);
  const std::uint64_t alone = needed_alone_bytes(settings_, rounded, pool);
  const bool is_small = rounded <= kSmallRequestBytes;
  const auto found = shelf_by_key_.find({pool, stream, is_small});
  if (found == shelf_by_key_.end()) return alone;
  const Shelf& shelf = shelves_[found->second];
  if (find_free(shelf, rounded) != kNone) return 0;
  const PieceId first = settings_.expands(pool) ? expandable_candidate(shelf, rounded) : kNone;
  if (first == kNone) return alone;
  std::uint64_t room = 0;
  std::uint64_t needed = 0;
  for (PieceId id = first; id != kNone && room < rounded; id = pieces_[id].after) {
    const Piece& piece = pieces_[id];
    const std::uint64_t page = page_bytes(is_small);
    const std::uint64_t pages = (rounded - room + page - 1) / page * page;
    if (piece.use == Use::unmapped) needed += std::min(pages, piece.bytes);
    room += piece.bytes;
  }
  return needed;
}

AllocatorModel::PieceId AllocatorModel::reserve_range(std::uint32_t shelf) {
  std::uint64_t address = place(kRangeBytes);
  if (std::numeric_limits<std::uint64_t>::max() - address < kRangeBytes) address = place(kRangeBytes);
  const PieceId id =
      add_piece({address, kRangeBytes, address, begin_segment(address), kNone, kNone, shelf, Use::unmapped, true});
  shelve(id);
  return id;
}

AllocatorModel::PieceId AllocatorModel::grow_expandable(std::uint32_t shelf, std::uint64_t bytes) {
  PieceId candidate = expandable_candidate(shelves_[shelf], bytes);
  if (candidate == kNone) candidate = reserve_range(shelf);
  if (pieces_[candidate].use == Use::unmapped && !map(candidate, std::min(pieces_[candidate].bytes, bytes)))
    return kNone;
  while (pieces_[candidate].bytes < bytes) {
    const PieceId after = pieces_[candidate].after;
    if (after == kNone || pieces_[after].use != Use::unmapped) return kNone;
    const std::uint64_t missing = bytes - pieces_[candidate].bytes;
    if (!map(after, std::min(missing, pieces_[after].bytes))) return kNone;
    candidate = after; // which now includes the free memory before it
  }
  unshelve(candidate);
  return candidate;
}

/// Maps the first pages of an unmapped piece; all or none, as PyTorch undoes a mapping that fails halfway.
bool AllocatorModel::map(PieceId id, std::uint64_t bytes) {
  const std::uint64_t page = page_bytes(shelves_[pieces_[id].shelf].key.is_small);
  const std::uint64_t mapped = std::min((bytes + page - 1) / page * page, pieces_[id].bytes);
  if (mapped > limit_bytes_ || reserved_bytes_ > limit_bytes_ - mapped) return false;
  unshelve(id);
  if (mapped < pieces_[id].bytes) shelve(split(id, mapped));
  pieces_[id].use = Use::free;
  merge(id);
  shelve(id);
  reserved_bytes_ += mapped;
  return true;
}

/// Releases one segment that is large enough, or several, largest first, if max_split_size is set.
bool AllocatorModel::release_oversized(std::uint32_t shelf_index, std::uint64_t bytes) {
  if (settings_.max_split_bytes == std::numeric_limits<std::uint64_t>::max()) return false;
  Shelf& shelf = shelves_[shelf_index];
  const std::uint64_t wanted = std::max(bytes, settings_.max_split_bytes);
  const auto found = shelf.free.lower_bound({wanted, 0, 0, 0});
  if (found != shelf.free.end() && is_whole(found->id)) {
    release_whole(found->id);
    return true;
  }
  std::uint64_t released = 0;
  while (released < wanted && !shelf.free.empty()) {
    const FreePiece largest = *shelf.free.rbegin();
    if (largest.bytes < settings_.max_split_bytes || !is_whole(largest.id)) break;
    release_whole(largest.id);
    released += largest.bytes;
  }
  return released >= wanted;
}

void AllocatorModel::release_shelf(Shelf& shelf) {
  if (!spend(shelf.free.size())) return;
  const std::vector<FreePiece> cached(shelf.free.begin(), shelf.free.end());
  for (const FreePiece& piece : cached) {
    if (pieces_[piece.id].is_expandable)
      unmap(piece.id);
    else if (is_whole(piece.id))
      release_whole(piece.id);
  }
}

void AllocatorModel::release_whole(PieceId id) {
  unshelve(id);
  reserved_bytes_ -= pieces_[id].bytes;
  remove_piece(id);
}

/// Unmaps the pages that lie wholly within a free piece; its ends stay.
void AllocatorModel::unmap(PieceId id) {
  const Piece piece = pieces_[id];
  const std::uint64_t page = page_bytes(shelves_[piece.shelf].key.is_small);
  const std::uint64_t offset = piece.address - piece.base;
  const std::uint64_t begin = (offset + page - 1) / page * page;
  const std::uint64_t end = (offset + piece.bytes) / page * page;
  if (end <= begin) return;
  unshelve(id);
  PieceId pages = id;
  if (begin > offset) {
    pages = split(id, begin - offset);
    shelve(id);
  }
  if (offset + piece.bytes > end) shelve(split(pages, end - begin));
  reserved_bytes_ -= end - begin;
  pieces_[pages].use = Use::unmapped;
  merge(pages);
  shelve(pages);
}

} // namespace memviz

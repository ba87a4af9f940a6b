#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 64, ALIGNMENT = 16 };

typedef enum {
    PLAIN,
    DUPLICATE,
    STRETCHED,
    NEGATIVE_EXTENT,  // one unit an element
    CONTIGUOUS,
    STRIDED,
    REVERSED,
    NEGATIVE_LOWER_BOUND,
    STRUCTURE,
} Kind;

static Kind pick_kind(Stream* stream, const Shape* shape) {
    if (shape->is_common) return (Kind)pick(stream, STRETCHED + 1);
    return (Kind)pick(stream, shape->most_units == 1 ? NEGATIVE_EXTENT + 1 : STRUCTURE + 1);
}

static int units_in(Stream* stream, Kind kind) {
    if (kind <= NEGATIVE_EXTENT) return 1;
    return kind == STRUCTURE ? 3 : 2 + pick(stream, 2);
}

static void indexed(MPI_Datatype* type, Unit unit, int units, MPI_Aint first, MPI_Aint step) {
    MPI_Aint places[3];
    for (int i = 0; i < units; ++i) places[i] = first + i * step;
    MPI_Type_create_hindexed_block(units, 1, places, unit.type, type);
}

static Element make_element(Stream* stream, const Shape* shape) {
    const Unit unit = shape->unit;
    const Kind kind = pick_kind(stream, shape);
    const int units = units_in(stream, kind);
    const MPI_Aint extent = unit.extent;
    Element element = {unit.type, units, kind != PLAIN};
    switch (kind) {
        case PLAIN:
            break;
        case DUPLICATE:
            MPI_Type_dup(unit.type, &element.type);
            break;
        case STRETCHED:
            MPI_Type_create_resized(unit.type, 0, 2 * extent, &element.type);
            break;
        case NEGATIVE_EXTENT:
            MPI_Type_create_resized(unit.type, 0, -2 * extent, &element.type);
            break;
        case CONTIGUOUS:
            MPI_Type_contiguous(units, unit.type, &element.type);
            break;
        case STRIDED:
            MPI_Type_vector(units, 1, 2, unit.type, &element.type);
            break;
        case REVERSED:
            indexed(&element.type, unit, units, (units - 1) * extent, -extent);
            break;
        case NEGATIVE_LOWER_BOUND:
            indexed(&element.type, unit, units, -3 * extent, 2 * extent);
            break;
        case STRUCTURE: {
            const int lengths[] = {2, 1};
            const MPI_Aint places[] = {3 * extent, 0};
            const MPI_Datatype types[] = {unit.type, unit.type};
            MPI_Type_create_struct(2, lengths, places, types, &element.type);
            break;
        }
    }
    if (element.derived) MPI_Type_commit(&element.type);
    return element;
}

// Without a unit any number of elements has no bytes.
static Element make_empty_element(void) {
    Element element = {MPI_DATATYPE_NULL, 1, 1};
    MPI_Type_contiguous(0, MPI_INT, &element.type);
    MPI_Type_commit(&element.type);
    return element;
}

typedef struct {
    MPI_Aint extent, low, high;  // bytes that `count` elements touch, from the address of the first
} Span;

static Span span_of(Element element, int count) {
    MPI_Aint lower_bound, extent, true_lower_bound, true_extent;
    MPI_Type_get_extent(element.type, &lower_bound, &extent);
    MPI_Type_get_true_extent(element.type, &true_lower_bound, &true_extent);
    if (count == 0) return (Span){extent, 0, 0};
    const MPI_Aint last = (count - 1) * extent;
    return (Span){extent, (last < 0 ? last : 0) + true_lower_bound,
                  (last > 0 ? last : 0) + true_lower_bound + true_extent};
}

static MPI_Aint round_up(MPI_Aint value, MPI_Aint step) {
    const MPI_Aint rest = ((value % step) + step) % step;
    return rest == 0 ? value : value + step - rest;
}

static void shuffle(Stream* stream, int* order, int count) {
    for (int i = 0; i < count; ++i) order[i] = i;
    for (int i = count - 1; i > 0; --i) {
        const int j = pick(stream, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

// Blocks in any order, with gaps of any size. Returns addresses in bytes from the buffer.
static void scatter_blocks(Layout* layout, Stream* stream, const Span* spans, MPI_Aint* places, int in_extents) {
    int order[MOST_BLOCKS];
    shuffle(stream, order, layout->blocks);
    MPI_Aint cursor = 0;
    for (int i = 0; i < layout->blocks; ++i) {
        const int block = order[i];
        const MPI_Aint extent = spans[block].extent, size = extent < 0 ? -extent : extent;
        MPI_Aint at = round_up(cursor + pick(stream, 3) * 16 - spans[block].low, 16);
        if (in_extents) at = size == 0 ? 0 : round_up(at, size);
        places[block] = at;
        cursor = at + spans[block].high;
        layout->displacements[block] = (int)(in_extents && extent != 0 ? at / extent : at);
    }
}

// One type for each block that holds its address, behind MPI_BOTTOM.
static void make_absolute(Layout* layout, const MPI_Aint* places) {
    for (int i = 0; i < layout->blocks; ++i) {
        MPI_Aint address;
        MPI_Get_address((char*)layout->base + places[i], &address);
        MPI_Datatype whole;
        MPI_Type_create_hindexed(1, &layout->counts[i], &address, layout->elements[i].type, &whole);
        MPI_Type_commit(&whole);
        if (layout->elements[i].derived) MPI_Type_free(&layout->elements[i].type);
        layout->elements[i] = (Element){whole, 0, 1};
        layout->counts[i] = 1;
        layout->displacements[i] = 0;
    }
    layout->base = MPI_BOTTOM;
}

static void allocate(Layout* layout, const Span* spans, const MPI_Aint* places) {
    MPI_Aint low = 0, high = 0;
    for (int i = 0; i < layout->blocks; ++i) {
        if (places[i] + spans[i].low < low) low = places[i] + spans[i].low;
        if (places[i] + spans[i].high > high) high = places[i] + spans[i].high;
    }
    const MPI_Aint before = round_up(GUARD_BYTES - low, ALIGNMENT);
    layout->memory_bytes = (size_t)(before + high + GUARD_BYTES);
    layout->memory = malloc(layout->memory_bytes);
    layout->base = layout->memory + before;
}

void make_layout(Layout* layout, Stream* stream, Shape shape, int blocks, const int* units) {
    memset(layout, 0, sizeof *layout);
    layout->blocks = blocks;
    layout->types = shape.typing == ONE_TYPE ? 1 : blocks;
    Span spans[MOST_BLOCKS];
    MPI_Aint places[MOST_BLOCKS];
    for (int i = 0; i < blocks; ++i) {
        const int is_empty = units[i] == 0 && shape.typing != ONE_TYPE && chance(stream, 50);
        if (i < layout->types)
            layout->elements[i] = is_empty ? make_empty_element() : make_element(stream, &shape);
        else
            layout->elements[i] = layout->elements[0];
        layout->counts[i] = is_empty ? pick(stream, 4) : units[i] / layout->elements[i].units;
        spans[i] = span_of(layout->elements[i], layout->counts[i]);
        layout->displacements[i] = i * layout->counts[i];
        places[i] = layout->displacements[i] * spans[i].extent;
    }
    if (!shape.follow) scatter_blocks(layout, stream, spans, places, shape.typing == ONE_TYPE);
    allocate(layout, spans, places);
    if (shape.typing == ABSOLUTE) make_absolute(layout, places);
    for (int i = 0; i < blocks; ++i) {
        layout->handles[i] = layout->elements[i].type;
        layout->large_counts[i] = layout->counts[i];
        layout->large_displacements[i] = layout->displacements[i];
    }
}

void free_layout(Layout* layout) {
    for (int i = 0; i < layout->types; ++i)
        if (layout->elements[i].derived) MPI_Type_free(&layout->elements[i].type);
    free(layout->memory);
}

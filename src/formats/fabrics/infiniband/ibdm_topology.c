/* Topology files of ibdm (ibutils): which systems a fabric has, and the cables between their connectors.
 *
 *   MTS2400 leaf1
 *      P1 -4x-5G-> MT23108 n1 P1
 *      P24 -> MTS9600 core L1/P3
 *
 *   MTS9600 core CFG: leaf2=R
 *
 * What a type of system is stands in its IBNL description (ibnl.h), which the same file may have. A type
 * without one counts as a single chip, whose port n is Pn: an adapter if none of its systems uses a port
 * above 2, else a switch. Such a file has no LIDs: it is a list of cables. */
#include "base/status/try.h"
#include "formats/fabrics/infiniband/ibnl.h"

#include <inttypes.h>

typedef struct cable_line {
    uint32_t system[2];
    ibnl_wire wire;
} cable_line;

typedef struct reader {
    scanner *scan;
    bough_cables cables;
    ibnl types;
    ibnl_system *system;
    uint32_t *type; /* of each system: a number of its type */
    cable_line *cable;
    bool *is_switch;                     /* [kinds]: uses a port above 2 */
    size_t systems, count, kinds, plain; /* plain: systems without a description */
    bough_name_map names, kind;
    bool in_system;
} reader;

static bough_status type_number(reader *r, bough_slice type, uint32_t *number) {
    bough_error *error = r->scan->error;
    *number = bough_name_map_get(&r->kind, type.text, type.length);
    if (*number != BOUGH_NO_INDEX) return BOUGH_OK;
    bough_status status =
        arena_grow(r->types.memory, &r->is_switch, r->kinds + 1, sizeof *r->is_switch, error);
    if (status) return status;
    *number = (uint32_t)r->kinds;
    r->is_switch[r->kinds++] = false;
    return bough_name_map_add(&r->kind, type.text, type.length, *number, error);
}

/* The system of a name, which is always of one type. */
static bough_status find_system(reader *r, bough_slice type, bough_slice name, uint32_t *index) {
    bough_error *error = r->scan->error;
    *index = bough_name_map_get(&r->names, name.text, name.length);
    if (*index != BOUGH_NO_INDEX) {
        const ibnl_system *old = &r->system[*index];
        if (old->type.length == type.length && memcmp(old->type.text, type.text, type.length) == 0)
            return BOUGH_OK;
        return scan_fail(r->scan, "%s is of type %s, and on line %" PRIu32 " of type %s", SHOWN(name),
                         SHOWN(type), old->line, SHOWN(old->type));
    }
    if (name.length > IBNL_NAME || type.length > IBNL_NAME)
        return scan_fail(r->scan, "the name %s is longer than %d bytes",
                         SHOWN(name.length > IBNL_NAME ? name : type), IBNL_NAME);
    bough_status status = arena_grow(r->types.memory, &r->system, r->systems + 1, sizeof *r->system, error);
    TRY(arena_grow(r->types.memory, &r->type, r->systems + 1, sizeof *r->type, error));
    if (status) return status;
    TRY(type_number(r, type, &r->type[r->systems]));
    *index = (uint32_t)r->systems;
    r->system[r->systems++] =
        (ibnl_system){.name = name, .type = type, .number = *index, .line = r->scan->line};
    TRY(bough_name_map_add(&r->names, name.text, name.length, *index, error));
    return status;
}

/* TYPE NAME CFG: leaf1=R; names have no "/" */
static bool read_head(scanner *s, bough_slice *type, bough_slice *name, bool *modified) {
    scan_blanks(s);
    const bool fits = scan_word(s, type) && scan_blanks(s) && scan_word(s, name) &&
                      !memchr(type->text, '/', type->length) && !memchr(name->text, '/', name->length) &&
                      !memchr(type->text, '"', type->length) && !memchr(name->text, '"', name->length);
    scan_blanks(s);
    *modified = scan_text(s, "CFG:");
    return fits && (*modified || scan_done(s));
}

static bough_status read_system(reader *r, scanner *s) {
    const scanner line = *s;
    bough_slice type, name;
    bool modified;
    uint32_t index;
    if (!read_head(s, &type, &name, &modified)) {
        *s = line;
        return r->types.inside
                   ? ibnl_read_line(&r->types, s)
                   : scan_fail(s, "expected a system, TYPE NAME, or one of its cables, P1 -> TYPE NAME P2");
    }
    r->in_system = true;
    r->types.inside = false;
    bough_status status = find_system(r, type, name, &index);
    if (!status) r->cable[r->count].system[0] = index;
    return status || !modified ? status : ibnl_modify(&r->types, index, s);
}

/* Room for the next cable, which also says to which system it belongs. */
static bough_status next_cable(reader *r, uint32_t system) {
    bough_status status =
        arena_grow(r->types.memory, &r->cable, r->count + 1, sizeof *r->cable, r->scan->error);
    if (!status) r->cable[r->count].system[0] = system;
    return status;
}

static bough_status read_cable(reader *r, const ibnl_wire *wire) {
    cable_line *cable = &r->cable[r->count];
    if (!r->in_system) return scan_fail(r->scan, "a cable before the first system; expected TYPE NAME");
    if (wire->words != 3 || !scan_done(r->scan))
        return scan_fail(r->scan, "expected type, name and port at the other end: P1 -> TYPE NAME P2");
    bough_status status = find_system(r, wire->word[0], wire->word[1], &cable->system[1]);
    cable->wire = *wire;
    r->count++;
    return status ? status : next_cable(r, r->cable[r->count - 1].system[0]);
}

static bough_status read_line(reader *r) {
    scanner *s = r->scan;
    ibnl_wire wire;
    scan_blanks(s);
    if (scan_done(s) || *s->at == '#') return BOUGH_OK;
    if (ibnl_starts(s)) return r->in_system = false, ibnl_read_line(&r->types, s);
    scanner line = *s;
    if (ibnl_read_wire(&line, &wire)) {
        if (r->types.inside) return ibnl_read_line(&r->types, s);
        *s = line;
        return read_cable(r, &wire);
    }
    if (r->types.inside && ibnl_is_attribute(s)) return ibnl_read_line(&r->types, s);
    return read_system(r, s);
}

/* ---- what the lines describe ---- */

/* P12 */
static bool plain_port(bough_slice name, bough_slice *number, uint64_t *value) {
    scanner s = scan_part(&(scanner){.line = 0}, name);
    if (!scan_text(&s, "P") || !scan_number(&s, value) || s.at != s.stop || !*value) return false;
    *number = (bough_slice){name.text + 1, name.length - 1};
    return *value <= BOUGH_PORT_MAX;
}

static bough_slice port_of(const cable_line *cable, int k) {
    return k ? cable->wire.word[2] : cable->wire.port;
}

static bough_status fail_plain(const reader *r, const cable_line *cable, int k) {
    const ibnl_system *system = &r->system[cable->system[k]];
    return scan_fail_line(
        r->scan, cable->wire.line,
        "port %s of %s: the type %s is not described, and then its ports are P1 to P254; "
        "expected its description before the topology, as by `cat %s.ibnl FILE.topo | bough "
        "check -`",
        SHOWN(port_of(cable, k)), SHOWN(system->name), SHOWN(system->type), SHOWN(system->type));
}

static bough_status fail_connector(const reader *r, const cable_line *cable, int k) {
    const ibnl_system *system = &r->system[cable->system[k]];
    return scan_fail_line(r->scan, cable->wire.line,
                          "%s has no port %s; expected a connector of its type %s, of a board that it has",
                          SHOWN(system->name), SHOWN(port_of(cable, k)), SHOWN(system->type));
}

/* Which types without a description are switches. */
static bough_status find_switches(reader *r) {
    bough_slice number;
    uint64_t value;
    for (size_t i = 0; i < 2 * r->count; i++) {
        const cable_line *cable = &r->cable[i / 2];
        const uint32_t system = cable->system[i % 2];
        if (r->system[system].board != BOUGH_NO_INDEX) continue;
        if (!plain_port(port_of(cable, i % 2), &number, &value)) return fail_plain(r, cable, i % 2);
        if (value > 2) r->is_switch[r->type[system]] = true;
    }
    return BOUGH_OK;
}

static bool has_switch(const reader *r) {
    for (size_t i = 0; i < r->kinds; i++)
        if (r->is_switch[i]) return true;
    return false;
}

static bough_status add_plain(reader *r, const ibnl_system *system, bool sorted) {
    uint32_t node;
    bough_status status = bough_cables_node(&r->cables, system->name, system->line, &node);
    if (status) return status;
    r->plain++;
    if (sorted)
        r->cables.node[node].kind =
            r->is_switch[r->type[system->number]] ? BOUGH_CABLE_SWITCH : BOUGH_CABLE_HOST;
    return BOUGH_OK;
}

static bough_status add_systems(reader *r) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < r->systems; i++) r->system[i].board = ibnl_type(&r->types, r->system[i].type);
    status = find_switches(r);
    const bool sorted = has_switch(r);
    for (size_t i = 0; i < r->systems && !status; i++)
        status = r->system[i].board == BOUGH_NO_INDEX ? add_plain(r, &r->system[i], sorted)
                                                      : ibnl_build(&r->types, &r->system[i], &r->cables);
    TRY(ibnl_check_modifiers(&r->types, r->system, r->scan));
    return status;
}

static bough_status find_end(reader *r, const cable_line *cable, int k, ibnl_place *place) {
    const ibnl_system *system = &r->system[cable->system[k]];
    uint64_t value;
    *place = (ibnl_place){.node = BOUGH_NO_INDEX};
    if (system->board != BOUGH_NO_INDEX) {
        bough_status status = ibnl_find(&r->types, system, &r->cables, port_of(cable, k), place);
        if (status || place->node != BOUGH_NO_INDEX) return status;
        return fail_connector(r, cable, k);
    }
    plain_port(port_of(cable, k), &place->port, &value);
    return bough_cables_node(&r->cables, system->name, system->line, &place->node);
}

static bough_status add_cable(reader *r, const cable_line *cable) {
    ibnl_place end[2];
    bough_status status = find_end(r, cable, 0, &end[0]);
    TRY(find_end(r, cable, 1, &end[1]));
    if (status) return status;
    const ibnl_wire *w = &cable->wire;
    const bough_slice width = end[0].width.length ? end[0].width : end[1].width,
                      speed = end[0].speed.length ? end[0].speed : end[1].speed;
    const bough_cable made = {
        .end = {{.node = end[0].node, .port = end[0].port}, {.node = end[1].node, .port = end[1].port}},
        .rate = ibnl_rate(width.length ? width : w->width, speed.length ? speed : w->speed),
        .line = w->line};
    return bough_cables_add(&r->cables, &made);
}

static bough_status add_cables(reader *r) {
    bough_status status = add_systems(r);
    for (size_t i = 0; i < r->count && !status; i++) status = add_cable(r, &r->cable[i]);
    TRY(bough_cables_finish(&r->cables));
    if (!status && r->plain)
        bough_log_finding(
            &r->cables.parsed->log, &(bough_finding_head){BOUGH_INFO, "plain-system"},
            "systems of types that the file does not describe (in IBNL), which count as one chip "
            "each: %zu of %zu",
            r->plain, r->systems);
    return status;
}

static bough_status check_content(const reader *r) {
    if (r->systems) return BOUGH_OK;
    return bough_fail(
        r->scan->error, BOUGH_INVALID, r->cables.parsed->name,
        "describes types of systems (IBNL), but no systems; expected the topology behind them, as by "
        "`cat *.ibnl FILE.topo | bough check -`");
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    arena *memory = &parsed->memory;
    reader r = {.scan = scan,
                .cables = BOUGH_CABLES(parsed),
                .types = {.memory = memory, .error = parsed->error, .keys.memory = memory},
                .names.memory = memory,
                .kind.memory = memory};
    bough_status status = next_cable(&r, 0);
    while (!status && scan_line(scan)) status = read_line(&r);
    TRY(check_content(&r));
    TRY(add_cables(&r));
    return status;
}

/* A description, or a system and its first cable below. */
static bool recognise(const scanner *scan) {
    scanner s = *scan;
    bough_slice type, name;
    ibnl_wire wire;
    bool modified;
    if (ibnl_starts(&s)) return true;
    if (!read_head(&s, &type, &name, &modified)) return false;
    do {
        if (!scan_line(&s)) return false;
    } while (scan_done(&s) || *s.at == '#');
    return ibnl_read_wire(&s, &wire) && wire.words == 3 && scan_done(&s);
}

const bough_fabric_reader bough_reader_ibdm = {
    .format = "ibdm", .hosts_by_name = true, .recognise = recognise, .read = read_file};

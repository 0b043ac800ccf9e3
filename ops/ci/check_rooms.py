"""Rooms: how many files, in which order on a floor, and that no files need each other in a circle.

A floor that has rooms lists them in its README.md, in the order in which data passes them: table
rows that begin with the room's name in backticks and a slash. A room includes only faces of rooms
above it, and of its floor only the face. Floors without rooms are not looked at.
"""

import collections
import os
import re

from check_includes import DOCUMENTS_ROOM, MAY_INCLUDE, floor_of

FILES = 25
ROOM_ROW = re.compile(r"(?m)^\| `(\w+)/` \|")
INCLUDE = re.compile(r'(?m)^[ \t]*#[ \t]*include[ \t]*"([^"]+)"')
DEFINITION = re.compile(r"(?m)^(?!static|typedef|extern)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)\s*\n\{")


def rooms_of(sources):
    """The rooms that there are, by floor; a folder of C files below a floor is one."""
    rooms = collections.defaultdict(set)
    for source in sources:
        floor = floor_of(source.folder)
        if source.kind == "c" and floor in MAY_INCLUDE and source.folder != floor:
            rooms[floor].add(source.folder)
    return rooms


def order_of(floor, sources):
    readme = next((s for s in sources if s.path == f"{floor}/README.md"), None)
    names = ROOM_ROW.findall(readme.text) if readme else []
    return [f"{floor}/{name}" for name in names]


def order_findings(floor, rooms, order, sources):
    face = f"{floor}/{os.path.basename(floor)}.h"
    faced = any(source.path == face for source in sources)
    for room in sorted(rooms - set(order)):
        yield f"{floor}/README.md", 1, f"{room}/ is a room that its list of rooms lacks"
    for room in sorted(set(order) - rooms):
        yield f"{floor}/README.md", 1, f"{room}/ is listed, and there is no such room"
    for source in sources:
        if source.folder not in order or source.kind != "c":
            continue
        for number, line in enumerate(source.lines, 1):
            match = INCLUDE.match(line)
            target = os.path.dirname(match[1]) if match else ""
            if target in order and order.index(target) > order.index(source.folder):
                yield (source.path, number,
                       f"{target}/ comes after {source.folder}/ ({floor}/README.md)")
            if target == floor and faced and match[1] != face:
                yield source.path, number, f"of its floor a room includes only {face}"


def needs_of(sources):
    """Which files need which, without their endings: by the functions that they call."""
    homes = {name: source.path[:-2] for source in sources if source.path.endswith(".c")
             for name in DEFINITION.findall(source.code)}
    needs = collections.defaultdict(set)
    for source in sources:
        if source.path.endswith(".c"):
            words = set(re.findall(r"\b[a-z]\w+\b", source.code))
            needs[source.path[:-2]] = {homes[w] for w in words & homes.keys()} - {source.path[:-2]}
    return needs


def circle_of(needs, start):
    """A way from the file back to itself, None when there is none."""
    ways = [[start]]
    seen = set()
    while ways:
        way = ways.pop(0)
        for target in sorted(needs[way[-1]]):
            if target == start:
                return [*way, target]
            if target not in seen:
                seen.add(target)
                ways.append([*way, target])
    return None


def circle_findings(sources):
    needs = needs_of(sources)
    for start in sorted(needs):
        way = circle_of(needs, start)
        if way and start == min(way):
            yield f"{start}.c", 1, "files need each other in a circle: " + " -> ".join(way)


def check(sources):
    for floor, rooms in rooms_of(sources).items():
        own = [s for s in sources if s.kind == "c" and floor_of(s.folder) == floor]
        order = order_of(floor, sources)
        yield from order_findings(floor, rooms, order, own)
        yield from circle_findings(own)
        if not set(order) == rooms:
            continue
        for folder, count in collections.Counter(s.folder for s in own).items():
            if count > FILES and folder != DOCUMENTS_ROOM:
                yield f"{folder}/", 1, f"{count} files; a folder has at most {FILES}"

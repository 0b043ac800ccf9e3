"""Checks the XPlane encoder against bytes written down by hand from the protobuf specification."""

import unittest

import xplane_decoder
import xplane_writer as xw


def hexes(text: str) -> bytes:
    return bytes.fromhex(text)


class Primitives(unittest.TestCase):
    def test_varints_have_seven_bits_per_byte_least_significant_first(self):
        for value, expected in ((0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (150, "9601"),
                                (300, "ac02"), (1 << 63, "80808080808080808001"),
                                ((1 << 64) - 1, "ffffffffffffffffff01")):
            self.assertEqual(xw.encode_varint(value), hexes(expected), value)

    def test_negative_integers_take_ten_bytes(self):
        self.assertEqual(xw.encode_varint(-1), hexes("ffffffffffffffffff01"))
        self.assertEqual(xw.encode_varint(-2), hexes("feffffffffffffffff01"))

    def test_refuses_integers_beyond_64_bits(self):
        for value in (1 << 64, -(1 << 63) - 1):
            with self.assertRaises(ValueError):
                xw.encode_varint(value)

    def test_tags_join_field_number_and_wire_type(self):
        self.assertEqual(xw.encode_tag(1, 0), hexes("08"))
        self.assertEqual(xw.encode_tag(2, 2), hexes("12"))
        self.assertEqual(xw.encode_tag(16, 0), hexes("8001"))

    def test_fields_of_the_encoding_guide(self):
        self.assertEqual(xw.field_varint(1, 150), hexes("08 96 01"))
        self.assertEqual(xw.field_text(2, "testing"), hexes("12 07 74657374696e67"))
        self.assertEqual(xw.field_double(2, 1.0), hexes("11 000000000000f03f"))

    def test_texts_are_utf8_and_lengths_count_bytes(self):
        self.assertEqual(xw.field_text(2, "µ"), hexes("12 02 c2b5"))


class Messages(unittest.TestCase):
    def stat_bytes(self, stat: xw.Stat) -> bytes:
        plane = xw.Plane("p")
        return plane.encode_stat(stat)

    def test_each_kind_of_statistic_has_its_field(self):
        for stat, expected in (
                (xw.stat_double("x", 0.5), "0801 11 000000000000e03f"),
                (xw.stat_uint("x", 7), "0801 18 07"),
                (xw.stat_int("x", -1), "0801 20 ffffffffffffffffff01"),
                (xw.stat_text("x", "ab"), "0801 2a 02 6162"),
                (xw.stat_blob("x", b"\x00"), "0801 32 01 00"),
                (xw.stat_int("x", 0), "0801 20 00")):
            self.assertEqual(self.stat_bytes(stat), hexes(expected), stat)

    def test_a_reference_names_an_interned_string(self):
        plane = xw.Plane("p")
        # The referenced text is interned first, as id 1; the statistic's own name is id 2.
        body = plane.encode_stat(xw.stat_ref("tf_op", "jit(f)/add"))
        self.assertEqual(body, hexes("0802 38 01"))
        self.assertEqual(plane.encode_stat(xw.stat_ref("tf_op", "jit(f)/add")), body)
        self.assertIn(xw.field_text(2, "jit(f)/add"), plane.encode())

    def test_a_compressed_string_unpacks(self):
        text = "x" * 1000
        space = xw.Space()
        space.add_plane("p").add_stat(xw.stat_compressed("long", text))
        decoded = xplane_decoder.space_read(space.encode())
        self.assertEqual(decoded.planes[0].stats, {"long": text})

    def test_a_whole_space_equals_the_bytes_written_by_hand(self):
        space = xw.Space(["h"])
        space.errors.append("e")
        space.warnings.append("w")
        plane = space.add_plane("P", 3)
        plane.add_event_metadata("k", xw.EventMetadata("long", "short"))
        plane.add_line("L", 9, 1000).add_event("k", 0, 5, [xw.stat_int("s", 2)])
        event = "08 01 10 00 18 05 22 04 08 01 20 02"
        line = "08 09 12 01 4c 18 e8 07 22 0c" + event
        event_metadata = "08 01 12 0f 08 01 12 04 6c6f6e67 22 05 73686f7274"
        stat_metadata = "08 01 12 05 08 01 12 01 73"
        plane_bytes = ("08 03 12 01 50 1a 16" + line + "22 13" + event_metadata
                       + "2a 09" + stat_metadata)
        expected = "0a 3d" + plane_bytes + "12 01 65 1a 01 77 22 01 68"
        self.assertEqual(space.encode().hex(), hexes(expected).hex())

    def test_offset_zero_is_written_and_duration_zero_is_not(self):
        plane = xw.Plane("p")
        line = plane.add_line("", 0)
        line.add_event("k", 0, 0)
        self.assertEqual(line.encode(), hexes("22 04 0801 1000"))

    def test_an_aggregate_has_occurrences_and_no_offset(self):
        plane = xw.Plane("p")
        line = plane.add_line("", 0)
        line.add_aggregate("k", 12, 7)
        self.assertEqual(line.encode(), hexes("22 06 0801 1807 280c"))

    def test_children_are_packed_ids(self):
        plane = xw.Plane("p")
        plane.add_event_metadata("a", xw.EventMetadata("a"))
        plane.add_event_metadata("b", xw.EventMetadata("b"))
        plane.add_event_metadata("f", xw.EventMetadata("f", child_names=("a", "b")))
        self.assertIn(hexes("32 02 0102"), plane.encode())

    def test_metadata_is_interned_and_declared_once(self):
        plane = xw.Plane("p")
        line = plane.add_line("l", 1)
        for offset in (0, 10):
            line.add_event("same", offset, 1)
        decoded = xplane_decoder.plane_read(plane.encode())
        self.assertEqual(decoded.metadata_names, ["same"])

    def test_every_field_order_says_the_same(self):
        space = xw.Space()
        plane = space.add_plane("p", 1)
        plane.add_stat(xw.stat_ref("ref", "value"))
        plane.add_line("l", 1).add_event("k", 3, 4, [xw.stat_double("d", 2.5)])
        decoded = {name: xplane_decoder.space_read(space.encode(name))
                   for name in xw.PLANE_FIELD_ORDERS}
        encoded = {space.encode(name) for name in xw.PLANE_FIELD_ORDERS}
        self.assertEqual(len(encoded), len(xw.PLANE_FIELD_ORDERS))
        for name in decoded:
            self.assertEqual(decoded[name], decoded["canonical"], name)

    def test_sparse_ids_are_large_and_distinct(self):
        plane = xw.Plane("p", sparse_ids=True)
        ids = {plane.event_metadata_id(number) for number in range(1000)}
        self.assertEqual(len(ids), 1000)
        self.assertGreater(max(ids), 1 << 60)
        self.assertLess(max(ids), 1 << 61)


if __name__ == "__main__":
    unittest.main()

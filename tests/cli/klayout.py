# What KLayout finds in GDSII streams: klayout -b -r klayout.py -rd files=x.gds,y.gds -rd half_pitch=50. A line of
# names and whole numbers for each; lengths in database units.
import pya

limit = int(half_pitch)  # noqa: F821 (given by -rd)


def look(file):
    layout = pya.Layout()
    layout.read(file)
    top = layout.top_cell()
    cells, box = layout.cells(), top.bbox()

    def of_layer(number):
        """The levels of a layer are its datatypes: all of them, in every cell, in a layer of their own."""
        every = [i for i in layout.layer_indexes() if layout.get_info(i).layer == number]
        target = layout.layer(number + 100, 0)
        for cell in layout.each_cell():
            for i in every:
                cell.shapes(target).insert(cell.shapes(i))
        return target

    def region(index):
        return pya.Region(top.begin_shapes_rec(index))

    outline = region(of_layer(0))
    horizontal, vertical, via = of_layer(10), of_layer(12), of_layer(11)
    metals = [region(horizontal).merged(), region(vertical).merged()]
    boxes = region(of_layer(1)) + region(of_layer(2)) + region(of_layer(3))

    # What touching metals and vias connect, by KLayout's own extraction.
    wires = pya.LayoutToNetlist(pya.RecursiveShapeIterator(layout, top, []))
    named = ((horizontal, "h"), (vertical, "v"), (via, "via"))
    h, v, c = (wires.make_polygon_layer(i, n) for i, n in named)
    for layer in (h, v, c):
        wires.connect(layer)
    wires.connect(h, c)
    wires.connect(v, c)
    wires.extract_netlist()
    netlist = wires.netlist()
    netlist.flatten()

    print("cells", cells, "width", box.width(), "height", box.height(), "area", outline.area(),
          "too_near", sum(m.space_check(limit).count() for m in metals),
          "too_thin", sum(m.width_check(limit).count() for m in metals),
          "loose_vias", sum((region(via) - m).count() for m in metals),
          "metal_in_boxes", sum((m & boxes).count() for m in metals),
          "overlap", boxes.area() - boxes.merged().area(),
          "nets", sum(1 for circuit in netlist.each_circuit() for net in circuit.each_net()))


for name in files.split(","):  # noqa: F821
    look(name)

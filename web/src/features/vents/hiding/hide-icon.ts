/** A struck-out eye, on the grid of Material Symbols. Theirs is four times as long, and every list of vents loads it. */
export const hideIcon =
  'M480-220Q260-220 80-500 260-780 480-780T880-500Q700-220 480-220Zm0-60q184 0 330-220-146-220-330-220T150-500q146 220 330 220Zm0-110q-110 0-110-110t110-110 110 110-110 110ZM109-829l42-42 700 700-42 42Z';

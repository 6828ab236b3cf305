"""Every code that an import can give, with what it means: refusals of a source, and what a report says of its rows."""

from __future__ import annotations

from collections.abc import Mapping

REFUSED: Mapping[str, str] = {
    "call": "The call lacks something, such as the name of the person who gives a coordinate system.",
    "crs": "What was given is no coordinate system.",
    "crs_accuracy": "The grid that shifts an old datum (NAD27) is not there, so places would be off by tens of metres.",
    "crs_missing": "The file does not say its coordinate system; the candidates are named with the share inside the town.",
    "crs_outside": "Read as it says, the file does not lie in the town; the candidates are named.",
    "crs_units": "The file says degrees and its numbers are feet or metres.",
    "field": "The crosswalk has faults, all told at once, or names a column that the file does not have.",
    "layer": "There is no layer of that name.",
    "source_columns": "A column is there twice, or columns have no name.",
    "source_damaged": "The file is damaged, or another kind of file than its name says.",
    "source_empty": "There is no feature in the layer, or no layer in the file.",
    "source_encoding": "The text is not in the encoding that was told.",
    "source_hostile": "An archive holds names that lead out of it.",
    "source_kind": "It is a folder, or a kind of file that is not read here.",
    "source_layer": "The file holds several layers, or none of that name.",
    "source_locked": "An archive is locked with a password.",
    "source_missing": "There is no such file.",
    "source_parts": "A shapefile came without its .shx or .dbf.",
    "source_ragged": "A row has more cells than the header, or its quotes do not close.",
    "source_truncated": "A shapefile's headers promise more than its files hold.",
    "source_unfit": "No feature of the file fits the layer that it was imported as.",
    "source_unwritten": "A GeoPackage has changes that are not yet written into it.",
    "store": "The town's folder or its `layers.gpkg` cannot be read or written.",
    "store_damaged": "The town's `layers.gpkg` is damaged.",
    "store_open": "Another program has the town's `layers.gpkg` open with changes in it.",
    "store_missing": "The town's `layers.gpkg` is gone, though files were imported.",
}
"""Why an import ends with nothing changed."""
REJECTED: Mapping[str, str] = {
    "duplicate": "The row is the same as another, to the last value and vertex; one of them is kept.",
    "geometry_type": "The drawing is of a kind that the layer does not take, such as an area where a point must be.",
    "id_taken": "Another source uses the id for something elsewhere: which of the two is right is for a person to say.",
}
"""Why a row is not kept."""
REPAIRED: Mapping[str, str] = {
    "geometry_unread": "The drawing of the row cannot be read: it is kept and counted as not located.",
    "id_made": "The row had no id and got one from its file's name and its number there.",
    "id_doubled": "The id is there twice for different things: the second became `ID#2`.",
    "made_valid": "The outline crossed itself and was mended; its area stayed.",
    "made_valid_area_changed": "The outline crossed itself, and mending it changed the area: look at it.",
    "made_valid_collapsed": "The outline encloses nothing: the row is kept and counted as not located.",
    "not_finite_or_zero": "The place was no number, or the point 0, 0: the row is kept and counted as not located.",
    "outside_envelope": "The place is not in the town: the row is kept and counted as not located.",
    "parts_dropped": "Of a mixed drawing only the parts that the layer takes were kept.",
    "repeated_vertices": "Vertices that stood twice in a row were made one.",
}
"""What was done to a row that is kept."""
WARNINGS: Mapping[str, str] = {
    "acreage": "A lot whose outline was mended is not as large as the roll says.",
    "columns_alike": "Two columns have the same name but for capitals or a table's name in front; the first is used.",
    "crs_overruled": "The person who gave the coordinate system overruled what the file says.",
    "curves_stroked": "Arcs became short straight lines, so neighbours no longer share every vertex.",
    "encoding_assumed": "The file does not tell how its letters are written; look at the names.",
    "envelope_unknown": "The town has no boundary and no bounds yet, so a wrong place may not have been noticed.",
    "formula_unread": "Formulas without a stored value were read as empty.",
    "id_inexact": "Ids came as numbers too long to be exact: ask for them as text.",
    "id_shared": "Rows of another source were replaced, because they have the same id and lie at the same place.",
    "ids_pointed": "Every id ends in .0, as numbers do that became text; it will not meet the ids of other layers.",
    "ids_alike": "Ids differ only in zeros, capitals or marks, such as 2.1 and 2.10; they are kept apart.",
    "m_dropped": "Measures (M) were dropped.",
    "merged_cells": "Only the first of merged cells holds their value.",
    "nothing_selected": "The crosswalk's `where` selects no feature of the file.",
    "number_cut": "A spreadsheet keeps 15 digits of a number; longer ones are not exact.",
    "offset": "The layer lies a constant way off its neighbours: another foot, or another datum.",
    "reader": "What the reader of the file said.",
    "round_count": "A round number of features: a map service may have stopped there.",
    "short_rows": "Rows have fewer cells than the header; the missing ones were read as empty.",
    "taken_by_none": "Features that no target of the crosswalk takes are in no layer.",
    "taken_twice": "Features that two targets of the crosswalk take are in two layers.",
    "text_cut": "Texts fill their field to the end and may have been cut.",
    "text_misread": "Letters look as if they were read in the wrong encoding.",
    "transfer_limit": "The map service says that it did not send all features.",
    "z_dropped": "Heights along lines and outlines were dropped; those of points are in `z_drawn`.",
    "zero_length": "Lines without length convey nothing.",
}
"""What a person should look at."""

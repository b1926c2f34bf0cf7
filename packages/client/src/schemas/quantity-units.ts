/** NCIt's subset C89510, NCPDP QuantityUnitOfMeasure Terminology: each concept's code and NCPDP preferred term. Holds all 28 rows of the subset, from the copy of NCI EVS's NCPDP.txt in github.com/dgoradia/ncpdp (commit b17995d1, with NCPDP SCRIPT 2017071; read 2026-11-28). Not compared with NCI's own file. */
export const quantityUnits: ReadonlyMap<string, string> = new Map([
  ['C62412', 'Applicator'],
  ['C54564', 'Blister'],
  ['C64696', 'Caplet'],
  ['C48480', 'Capsule'],
  ['C64933', 'Each'],
  ['C53499', 'Film'],
  ['C48155', 'Gram'],
  ['C69124', 'Gum'],
  ['C48499', 'Implant'],
  ['C62276', 'Insert'],
  ['C48504', 'Kit'],
  ['C120263', 'Lancet'],
  ['C48506', 'Lozenge'],
  ['C28254', 'Milliliter'],
  ['C48521', 'Packet'],
  ['C65032', 'Pad'],
  ['C48524', 'Patch'],
  ['C120216', 'Pen Needle'],
  ['C62609', 'Ring'],
  ['C53502', 'Sponge'],
  ['C53503', 'Stick'],
  ['C48538', 'Strip'],
  ['C48539', 'Suppository'],
  ['C53504', 'Swab'],
  ['C48542', 'Tablet'],
  ['C48548', 'Troche'],
  ['C38046', 'Unspecified'],
  ['C48552', 'Wafer'],
])

const known = new Set([...quantityUnits].flat())

/** Whether a text is exactly a code or a term of the subset. */
export const isQuantityUnit = (given: string): boolean => known.has(given)

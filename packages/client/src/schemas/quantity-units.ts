/** NCIt's subset C89510, NCPDP QuantityUnitOfMeasure Terminology: each concept's code and NCPDP preferred term. All 28 rows of the subset in a copy of NCI EVS's file NCPDP.txt, which github.com/dgoradia/ncpdp keeps (commit b17995d1, with NCPDP SCRIPT 2017071; read 2026-11-28). NCI's own file was not read. */
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

/** Whether it is a code or a term of the subset, exactly. */
export const isQuantityUnit = (given: string): boolean => known.has(given)

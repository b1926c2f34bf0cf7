import { canvas } from './canvas.ts'
import { epic } from './epic.ts'
import { everything } from './everything.ts'
import { oracleHealth } from './oracle-health.ts'
import { remembering } from './remembering.ts'
import { readOnly } from './read-only.ts'

/** Every kind of chart that the connector is held against. */
export const profiles = [epic, oracleHealth, canvas, readOnly, remembering, everything] as const

import { integrationOf } from '../integration-of.ts'
import { board } from './01-board.ts'
import { register } from './02-register.ts'
import { hook } from './03-hook.ts'
import { table } from './04-table.ts'
import { folder } from './05-folder.ts'
import { mail } from './06-mail.ts'
import { billing } from './07-billing.ts'

/** All at once. */
export const integration = integrationOf(board, register, hook, table, folder, mail, billing)

import { existsSync } from 'node:fs'
import { enterPresence } from '../../src/sqlite/presence.ts'

/** Comes and goes at a ledger file again and again; prints the names under which it was present, and those that it took for dead. */
const [path = '', rounds = ''] = process.argv.slice(2)
const present: string[] = []
const taken: string[] = []
for (let round = 0; round < Number(rounds); round += 1) {
  const presence = enterPresence(path)
  present.push(presence.name)
  taken.push(...presence.takeDead())
  if (!existsSync(`${path}-process-${presence.name}`)) throw new Error('its own file is gone')
  presence.leave()
}
process.stdout.write(JSON.stringify({ present, taken }))

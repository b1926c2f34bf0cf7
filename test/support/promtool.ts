import { spawnSync } from 'node:child_process'
import { describe } from 'vitest'
import { needs } from './needs.ts'

const program = needs('promtool', { package: 'prometheus' })

/** `describe` where Prometheus's own checker is installed. */
export const describeWithPromtool = describe.skipIf(program === undefined)

/** Runs `promtool`; what it says, and whether it found nothing to object to. */
export function promtool(args: readonly string[], { folder, input }: { folder?: string; input?: string } = {}) {
  if (program === undefined) throw new Error('promtool is not installed: use describeWithPromtool')
  const ended = spawnSync(program, args, { encoding: 'utf8', cwd: folder, input })
  return { code: ended.status, says: `${ended.stdout}${ended.stderr}` }
}

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { needs } from './needs.ts'

const page = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8')
const valueOf = (setting: string) => new RegExp(`^${setting}=(.+)$`, 'm').exec(page)?.[1] ?? ''

const python = needs('python3')
const analyze = needs('systemd-analyze', { package: 'systemd' })

/** A command that becomes the one after it, under the filters of the unit in docs/deploying.md; empty where they cannot be loaded. */
export const unitFilter: readonly string[] =
  python === undefined || analyze === undefined
    ? []
    : [
        python,
        new URL('under-filter.py', import.meta.url).pathname,
        valueOf('SystemCallFilter'),
        valueOf('RestrictAddressFamilies'),
      ]

/** How many filters of system calls a process is under. */
export async function countFilters(pid: number | 'self' = 'self'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^Seccomp_filters:\s*(\d+)$/m.exec(status)?.[1])
}

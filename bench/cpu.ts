import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** CPU time used since its start, in microseconds. */
export interface Cpu {
  /** Of the process, and of two of its threads. */
  all: number
  main: number
  ledger: number
  /** Of its servers, with all processes that they started: a PostgreSQL has one for each connection. */
  servers: number
}

/** Ticks of /proc are hundredths of a second everywhere. */
const tickMicros = 10_000

/** CPU of a process and of servers that work for it alone. */
export function readCpu(pid: number, servers: readonly number[] = []): Cpu {
  const processes = readProcesses()
  const tree = [...servers]
  // Grows while it is walked: children of children count, too.
  for (const server of tree) tree.push(...processes.filter(({ parent }) => parent === server).map((each) => each.pid))
  const sum = (some: typeof processes) => some.reduce((total, { micros }) => total + micros, 0)
  return {
    all: sum(processes.filter((each) => each.pid === pid)),
    servers: sum(processes.filter((each) => tree.includes(each.pid))),
    ...readThreads(pid),
  }
}

/** The most memory that a process ever held at once, in bytes. */
export function readPeakBytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1_024
}

/** The process that started this one. */
export function parentOf(pid: number): number {
  return readStat(pid)?.parent ?? NaN
}

function readProcesses() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => readStat(Number(pid)) ?? [])
}

/** The CPU of a process and of its children that ended, by proc_pid_stat(5); the name, in brackets, may hold blanks. */
function readStat(pid: number) {
  const text = readIfThere(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
  return { pid, parent: Number(fields[1]), micros: ticks * tickMicros }
}

function readThreads(pid: number): Pick<Cpu, 'main' | 'ledger'> {
  const sums = { main: 0, ledger: 0 }
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const thread = `/proc/${pid}/task/${id}`
    // Nanoseconds come first.
    const micros = Number(readIfThere(`${thread}/schedstat`)?.split(' ')[0] ?? 0) / 1_000
    if (id === String(pid)) sums.main += micros
    else if (readIfThere(`${thread}/comm`)?.trim() === 'ledger') sums.ledger += micros
  }
  return sums
}

/** Processes and threads end while they are listed. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** How long all cores together were idle, and have been there, in milliseconds. */
export function readCores(): { idle: number; all: number } {
  const times = cpus().map(({ times }) => times)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.map((each) => sum(Object.values(each)))) }
}

/** Percent of all cores that were busy since then, with any process. */
export function busySince(before: { idle: number; all: number }): number {
  const { idle, all } = readCores()
  return 100 * (1 - (idle - before.idle) / (all - before.all))
}

import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Stops a process with all its threads until SIGCONT; returns once they stand still, which takes a moment after the signal where there are several processors. */
export function pauseProcess(child: ChildProcess): void {
  const { pid } = child
  if (!child.kill('SIGSTOP') || pid === undefined) return
  const deadline = performance.now() + 5_000
  while (!standsStill(pid) && performance.now() < deadline);
}

function standsStill(pid: number): boolean {
  const threads = `/proc/${pid}/task`
  if (!existsSync(threads)) return true
  return readdirSync(threads).every((thread) => {
    try {
      return /\) [Tt] /.test(readFileSync(`${threads}/${thread}/stat`, 'utf8'))
    } catch {
      // It ended meanwhile.
      return true
    }
  })
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { parentOf, readCpu, readPeakBytes } from '../../bench/cpu.ts'

const burn =
  'const end = process.cpuUsage().user + 100_000; while (process.cpuUsage().user < end); console.log("burnt"); process.stdin.resume()'

it('counts the CPU of a process, and that of servers with the processes that they started, ended ones included', async () => {
  const ended = `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(burn)}], { input: "" });`
  const [own, server] = [burn, `${ended}${burn}`].map((script) => spawn(process.execPath, ['-e', script]))
  if (own?.pid === undefined || server?.pid === undefined) throw new Error('Two processes were to start.')
  try {
    await Promise.all([once(own.stdout, 'data'), once(server.stdout, 'data')])
    const alone = readCpu(own.pid)
    expect(alone.all).toBeGreaterThanOrEqual(90_000)
    expect(alone.main).toBeGreaterThanOrEqual(50_000)
    expect(alone.servers).toBe(0)
    expect(readCpu(own.pid, [server.pid]).servers).toBeGreaterThanOrEqual(190_000)
    expect(parentOf(own.pid)).toBe(process.pid)
    expect(readPeakBytes(own.pid)).toBeGreaterThan(2 ** 20)
  } finally {
    own.kill()
    server.kill()
  }
})

import { describeError } from '../errors.ts'
import type { CheckReport, CheckSample, System } from '../systems/system.ts'
import { formatRow, type Print } from './output.ts'

/** Prints for each system what its check found, within `timeoutMs` each (default: 30 s), and closes it; resolves with whether all can be used. A check that throws or does not return counts as one that failed. */
export async function checkSystems(
  systems: Readonly<Record<string, System<object>>>,
  print: Print,
  { timeoutMs = 30_000, sample }: { timeoutMs?: number; sample?: CheckSample } = {},
): Promise<boolean> {
  let isFine = true
  for (const [name, system] of Object.entries(systems)) {
    const { ok, findings } = await checkSystem(system, timeoutMs, sample)
    isFine &&= ok
    for (const finding of findings) print(formatRow(name, `${ok ? 'ok  ' : 'FAIL'} ${finding}`))
    // Whether it can be used is known by now.
    await system.close?.().catch(() => undefined)
  }
  return isFine
}

async function checkSystem(
  system: System<object>,
  timeoutMs: number,
  sample: CheckSample | undefined,
): Promise<CheckReport> {
  if (system.check === undefined) return { ok: true, findings: [system.notice ?? 'It has no check.'] }
  const timeout = new AbortController()
  const late: CheckReport = { ok: false, findings: [`It did not answer within ${timeoutMs / 1_000} s.`] }
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<CheckReport>((resolve) => {
    timer = setTimeout(() => {
      resolve(late)
      timeout.abort()
    }, timeoutMs)
  })
  try {
    return await Promise.race([system.check(timeout.signal, sample), tooLate])
  } catch (error) {
    const { code, message } = describeError(error)
    return { ok: false, findings: [`The check failed: ${code}: ${message}`] }
  } finally {
    clearTimeout(timer)
  }
}

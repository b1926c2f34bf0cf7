import { describeError } from '@pawl/base/errors'
import { type CheckReport, type CheckSample, isFault, type System } from '@pawl/connector/system'
import { formatRow, type Print, printJson } from '@pawl/console/commands/output'

/** Checks each system within `timeoutMs`, closes it, and prints the findings, with `json` as one JSON object. Resolves with true if all can be used. A check that throws or times out has failed. */
export async function checkSystems(
  systems: Readonly<Record<string, System<object>>>,
  print: Print,
  { json = false, ...options }: CheckOptions & { json?: boolean | undefined } = {},
): Promise<boolean> {
  let isFine = true
  const checked: (CheckReport & { system: string })[] = []
  for (const [name, system] of Object.entries(systems)) {
    const report = await checkAndClose(system, options)
    const { ok, findings } = report
    isFine &&= ok
    checked.push({ system: name, ok, findings, faults: findings.filter((finding) => isFault(report, finding)) })
    for (const finding of json ? [] : findings)
      print(formatRow(name, `${isFault(report, finding) ? 'FAIL' : 'ok  '} ${finding}`))
  }
  if (json) printJson(print, { ok: isFine, systems: checked })
  return isFine
}

interface CheckOptions {
  /** Default: 30 s. */
  timeoutMs?: number
  sample?: CheckSample | undefined
}

/** Findings of a system's check within `timeoutMs`; a check that throws or times out has failed. Closes the system. */
export async function checkAndClose(
  system: System<object>,
  { timeoutMs = 30_000, sample }: CheckOptions = {},
): Promise<CheckReport> {
  const report = await checkSystem(system, timeoutMs, sample)
  // The check is over: a failed close does not change its result.
  await system.close?.().catch(() => undefined)
  return report
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

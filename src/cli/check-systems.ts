import type { System } from '../systems/system.ts'

/** How long one system may take to answer, in milliseconds. */
const timeoutMs = 30_000

/** Prints for each system what its check found; resolves with whether all can be used. Closes them. */
export async function checkSystems(
  systems: Readonly<Record<string, System<object>>>,
  print: (line: string) => void,
): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs)
  let isFine = true
  for (const [name, system] of Object.entries(systems)) {
    const report = (await system.check?.(signal)) ?? { ok: true, findings: [system.notice ?? 'It has no check.'] }
    isFine &&= report.ok
    for (const finding of report.findings) print(`${name.padEnd(10)} ${report.ok ? 'ok  ' : 'FAIL'} ${finding}`)
    await system.close?.()
  }
  return isFine
}

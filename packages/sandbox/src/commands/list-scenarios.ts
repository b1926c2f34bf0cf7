import { shippedNames, shippedScenario } from '../scenarios/shipped-scenarios.ts'

/** Prints the shipped scenarios with their summaries. */
export function listScenarios({ json }: { json: boolean }, print: (line: string) => void): void {
  const scenarios = shippedNames().map((name) => ({ name, summary: shippedScenario(name)?.summary ?? '' }))
  if (json) {
    print(JSON.stringify(scenarios))
    return
  }
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  for (const { name, summary } of scenarios) print(`${name.padEnd(width)}  ${summary}`)
  print(
    '\nRun one with trigger <name>, or one of your own with trigger <file.json>; docs/sandbox.md explains the format.',
  )
}

import type { Observations } from '../observations.ts'
import { type OwnEffect, ownEffectsOf } from './own-effects.ts'

/** Finds an appeal against an appeal that is stored under that appeal, although the earlier appeal is stored under the first case. */
export function storedUnderAppeal(seen: Observations): string[] {
  const { linked, labels } = seen
  const effects = ownEffectsOf(seen)
  return [...linked].flatMap(([third, second]) => {
    const first = linked.get(second)
    if (first === undefined) return []
    const partsOf = (of: string) =>
      effects.filter(({ run, isTaken }) => isTaken && run.resource === of).flatMap((effect) => partOf(effect, of) ?? [])
    const [own, before, after] = [first, second, third].map(partsOf)
    const wrong = after?.find(
      ({ whole, kind }) =>
        whole === second &&
        own?.some((each) => each.kind === kind && each.whole === first) === true &&
        before?.some((each) => each.kind === kind && each.whole === first) === true &&
        !before.some((each) => each.whole === second),
    )
    return wrong === undefined
      ? []
      : [
          `${labels.get(third)}: ${wrong.handler} stored it under ${labels.get(second)}, although it stores that one under ${labels.get(first)}`,
        ]
  })
}

/** For a case stored inside another record: the first id in its path, and the last one, which is its own. */
function partOf(
  { run, system, place }: OwnEffect,
  of: string,
): { whole: string; kind: string; handler: string } | undefined {
  const ids = place.match(/\bpa_req_\w+/g) ?? []
  const [whole] = ids
  if (whole === undefined || ids.length < 2 || ids.at(-1) !== of) return undefined
  return { whole, kind: `${run.handler} ${system} ${place.replaceAll(/\bpa_req_\w+/g, '#')}`, handler: run.handler }
}

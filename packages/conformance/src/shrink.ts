import type { Step } from './steps.ts'

/** Shrinks a failing list. Tries to drop the largest parts first (all resources but the one that `because` names, or but that and one witness, all steps of one name, whole resources, steps of one kind, halves, then single steps), since each trial takes as long as its list. `stillFails` may return false once time runs out. Dropping a create step also drops every step about its resource and renumbers the others. */
export async function shrinkSteps(
  steps: readonly Step[],
  stillFails: (steps: readonly Step[]) => Promise<boolean>,
  because = '',
): Promise<readonly Step[]> {
  let kept = steps
  for (const fewer of stepsAbout(because, steps))
    if (kept === steps && fewer.length < steps.length && (await stillFails(fewer))) kept = fewer
  const dropEach = async (kindOf: (step: Step) => string) => {
    for (const kind of new Set(kept.map(kindOf))) {
      const shorter = kept.filter((step) => step.do.startsWith('create') || kindOf(step) !== kind)
      if (shorter.length < kept.length && (await stillFails(shorter))) kept = shorter
    }
  }
  await dropEach((step) => step.do)
  for (let at = kept.length - 1; at >= 0; at -= 1) {
    if (kept[at]?.do !== 'create_pa' && kept[at]?.do !== 'create_bv') continue
    const shorter = withoutStep(kept, at)
    if (shorter.length > 0 && (await stillFails(shorter))) kept = shorter
  }
  await dropEach((step) => `${step.do} ${'system' in step ? step.system : ''}`)
  await dropEach((step) => `${step.do} ${'handler' in step ? step.handler : ''}`)
  await dropEach((step) => `${step.do} ${'pa' in step ? step.pa : ''}`)
  for (let half = Math.floor(kept.length / 2); half > 1; half = Math.floor(half / 2))
    for (let end = kept.length; end > half; end -= half) {
      const isMoving = kept.slice(end - half, end).every(({ do: name }) => !name.startsWith('create'))
      const shorter = kept.toSpliced(end - half, half)
      if (isMoving && (await stillFails(shorter))) kept = shorter
    }
  for (let at = kept.length - 1; at >= 0; at -= 1) {
    const shorter = withoutStep(kept, at)
    if (shorter.length < kept.length && (await stillFails(shorter))) {
      kept = shorter
      at = Math.min(at, kept.length)
    }
  }
  return kept
}

/** How many witnesses are tried: each costs a list. */
const maxWitnesses = 3

/** The list with the first resource alone that a verdict names, such as `PA 9`, and with one witness: another that it names, or one created beside it. Empty if it names none. */
function stepsAbout(because: string, steps: readonly Step[]): (readonly Step[])[] {
  const createdBy = (create: string) => steps.flatMap(({ do: name }, at) => (name === create ? [at] : []))
  const [named, ...others] = [...because.matchAll(/\b(PA|BV) (\d+)\b/g)].flatMap(
    ([, kind, place]) => createdBy(kind === 'PA' ? 'create_pa' : 'create_bv')[Number(place)] ?? [],
  )
  if (named === undefined) return []
  const beside = createdBy(steps[named]?.do ?? '').toSorted((a, b) => Math.abs(a - named) - Math.abs(b - named))
  const witnesses = [...new Set([...others, ...beside])].filter((at) => at !== named).slice(0, maxWitnesses)
  return [[], ...witnesses.map((at) => [at])].map((witness) =>
    steps.reduceRight(
      (kept, { do: name }, at) =>
        name.startsWith('create') && at !== named && !witness.includes(at) ? withoutStep(kept, at) : kept,
      steps,
    ),
  )
}

/** The list without one step. If that step created a resource, every step about the resource goes too. */
export function withoutStep(steps: readonly Step[], at: number): readonly Step[] {
  const step = steps[at]
  const rest = steps.toSpliced(at, 1)
  const what = step?.do === 'create_pa' ? 'pa' : step?.do === 'create_bv' ? 'bv' : undefined
  if (what === undefined) return rest
  const place = steps.slice(0, at).filter((each) => each.do === step?.do).length
  return rest.flatMap((each) => renumber(each, what, place))
}

/** Names of fields that are positions of resources. */
const positions = { pa: ['pa', 'appeals', 'spares'], bv: ['bv'] }

function renumber(step: Step, what: 'pa' | 'bv', gone: number): Step[] {
  const fields = Object.entries(step)
  if (fields.some(([name, value]) => name === what && value === gone)) return []
  const left = fields.flatMap(([name, value]): [string, unknown][] => {
    if (!positions[what].includes(name) || typeof value !== 'number' || value < gone) return [[name, value]]
    return value === gone ? [] : [[name, value - 1]]
  })
  // A step stays one with another position, or without one that it may lack.
  return [Object.fromEntries(left) as Step]
}

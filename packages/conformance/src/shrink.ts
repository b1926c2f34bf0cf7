import type { Step } from './steps.ts'

/** Shrinks a failing list. Tries to drop the largest parts first (all resources but the one that `because` names, all steps of one name, whole resources, steps of one kind, halves, then single steps), since each trial takes as long as its list. `stillFails` may return false once time runs out. Dropping a create step also drops every step about its resource and renumbers the others. */
export async function shrinkSteps(
  steps: readonly Step[],
  stillFails: (steps: readonly Step[]) => Promise<boolean>,
  because = '',
): Promise<readonly Step[]> {
  let kept = steps
  const alone = stepsAbout(because, steps)
  if (alone.length < kept.length && (await stillFails(alone))) kept = alone
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

/** The list without other resources than the first one that a verdict names, such as `PA 9`; the whole list if it names none. */
function stepsAbout(because: string, steps: readonly Step[]): readonly Step[] {
  const [, kind, place] = /\b(PA|BV) (\d+)\b/.exec(because) ?? []
  const creates = kind === 'PA' ? 'create_pa' : 'create_bv'
  const named = steps.flatMap(({ do: name }, at) => (name === creates ? [at] : []))[Number(place)]
  if (named === undefined) return steps
  return steps.reduceRight(
    (kept, { do: name }, at) => (name.startsWith('create') && at !== named ? withoutStep(kept, at) : kept),
    steps,
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

function renumber(step: Step, what: 'pa' | 'bv', gone: number): Step[] {
  if (what === 'pa' && 'pa' in step) {
    if (step.pa === gone) return []
    return [step.pa > gone ? { ...step, pa: step.pa - 1 } : step]
  }
  if (what === 'bv' && 'bv' in step) {
    if (step.bv === gone) return []
    return [step.bv > gone ? { ...step, bv: step.bv - 1 } : step]
  }
  return [step]
}

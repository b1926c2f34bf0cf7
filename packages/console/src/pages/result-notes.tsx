import { count, plural } from '@pawl/base/pages/words'
import { nameOfTarget } from '../pause-names.ts'
import type { Probed, Resumed } from '../read-result.ts'

/** The result of probing a system. */
export function ProbedNote({ probed }: { probed: Probed | undefined }) {
  if (probed === undefined) return null
  const { system, resources } = probed
  return (
    <p class="note" role="status">
      Trying {nameOfTarget({ kind: 'system', name: system })}:{' '}
      {resources === 0
        ? 'no work waits for it, so the next work tries it.'
        : `${count(resources)} ${plural(resources, 'case')} ${plural(resources, 'tries', 'try')} it now, then the others.`}
    </p>
  )
}

/** The result of a resume. */
export function ResumedNote({ resumed }: { resumed: Resumed | undefined }) {
  if (resumed === undefined) return null
  const { target, resources } = resumed
  return (
    <p class="note" role="status">
      Resumed {nameOfTarget(target)}:{' '}
      {target.kind === 'all' ? 'all work runs again.' : `${count(resources)} ${plural(resources, 'resource')} now due.`}
    </p>
  )
}

import { queryOf } from '@pawl/base/pages/query'
import { PostForm } from './forms.tsx'
import { Allowed } from './viewer.tsx'

interface RetryParkedProps {
  /** Id of the resource. */
  id: string
  /** Its parked handlers that still exist. */
  handlers: readonly string[]
}

/** The button that retries all parked work of a resource; nothing where there is none. */
export function RetryParked({ id, handlers }: RetryParkedProps) {
  if (handlers.length === 0) return null
  return (
    <Allowed to="operate">
      <PostForm action="/parked/retry" label="Retry" fields={{ resource: id, state: 'parked' }}>
        <p>
          <button type="submit" class="act">
            Retry {handlers.length === 1 ? handlers[0] : `all ${handlers.length} parked handlers`}
          </button>{' '}
          <a href={`/parked${queryOf({ resource: id })}`}>See and discard</a>
        </p>
      </PostForm>
    </Allowed>
  )
}

/** The parked handlers of a resource that still exist. */
export function retriableOf(
  handlers: readonly { handler: string; state: string }[],
  handlerNames: readonly string[],
): string[] {
  return handlers.flatMap(({ handler, state }) => (state === 'parked' && handlerNames.includes(handler) ? handler : []))
}

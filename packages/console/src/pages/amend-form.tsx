import type { Amendment } from '@pawl/base/amendment'
import { PostForm } from './forms.tsx'
import { Allowed } from './viewer.tsx'

interface AmendFormProps {
  resource: string
  /** What is amended now. */
  amendment: Amendment | undefined
}

/** A form that retries one resource's work with its records written otherwise. */
export function AmendForm({ resource, amendment: { without, document_type: type } = { without: [] } }: AmendFormProps) {
  return (
    <Allowed to="operate">
      <details open={without.length > 0 || type !== undefined}>
        <summary>Retry with another document type, or without an element</summary>
        <PostForm action="/parked/retry" label="Retry otherwise" fields={{ resource, amend: 'yes' }}>
          <p>For records of this resource alone, from now on. Both empty: as usual again.</p>
          <div class="actions">
            <label>
              Left out{' '}
              <input
                name="without"
                type="text"
                size={30}
                value={without.join(' ')}
                placeholder="DocumentReference.context"
              />
            </label>
            <label>
              Document type <input name="document_type" type="text" size={30} value={type} placeholder="system|code" />
            </label>
            <button type="submit">Retry so</button>
          </div>
        </PostForm>
      </details>
    </Allowed>
  )
}

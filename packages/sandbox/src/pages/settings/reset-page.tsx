import { PostForm } from '../form.tsx'
import { Layout } from '../sandbox-layout.tsx'

const address = '/_sandbox/pages/reset'

/** Asks for confirmation before the reset. */
export function ResetPage({ cases, deliveries, isDone }: { cases: number; deliveries: number; isDone: boolean }) {
  return (
    <Layout title="Reset" at={address}>
      {isDone && (
        <p class="note" role="status">
          The sandbox was reset: all cases and deliveries are gone.
        </p>
      )}
      <p>
        Deletes all cases ({cases}), scheduled transitions, deliveries ({deliveries}), planned failures and rate-limit
        windows, and switches chaos off. Organizations, their webhooks and quotas, tokens and the clock stay.
      </p>
      <PostForm action={address} label="Reset" class="stack">
        <div>
          <label class="check" for="sure">
            <input id="sure" type="checkbox" name="sure" value="yes" required />
            Yes, delete all of it
          </label>
        </div>
        <button type="submit" class="bad">
          Reset
        </button>
      </PostForm>
    </Layout>
  )
}

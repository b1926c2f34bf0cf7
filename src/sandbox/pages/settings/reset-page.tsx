import { PostForm } from '../form.tsx'
import { Layout } from '../layout.tsx'

const address = '/_sandbox/pages/reset'

/** Asks before everything is forgotten. */
export function ResetPage({ cases, deliveries, isDone }: { cases: number; deliveries: number; isDone: boolean }) {
  return (
    <Layout title="Reset" at={address}>
      {isDone && (
        <p class="note" role="status">
          It was reset: there are no cases and no deliveries any more.
        </p>
      )}
      <p>
        Forgets every case ({cases}), all that is scheduled, every delivery ({deliveries}), planned failures and the
        windows of rate limits, and switches chaos off. Organizations, their webhooks and quotas, tokens and the clock
        stay.
      </p>
      <PostForm action={address} label="Reset" class="stack">
        <div>
          <label class="check" for="sure">
            <input id="sure" type="checkbox" name="sure" value="yes" required />
            Yes, forget all of it
          </label>
        </div>
        <button type="submit" class="act">
          Reset
        </button>
      </PostForm>
    </Layout>
  )
}

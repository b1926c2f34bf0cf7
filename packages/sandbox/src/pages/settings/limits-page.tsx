import { Table } from '@pawl/base/pages/table'
import { count, Moment } from '@pawl/base/pages/words'
import { type Quotas, policies } from '../../access/limit-policies.ts'
import type { RateWindow } from '../../access/rate-limits.ts'
import { ButtonForm, Field, PostForm } from '../form.tsx'
import { Layout, LivePart } from '../sandbox-layout.tsx'

/** Path of the quotas page. */
export const limitsAddress = '/_sandbox/pages/limits'

/** Quotas and open windows of an organization. */
export interface OrganizationLimits {
  id: string
  quotas: Quotas
  windows: readonly RateWindow[]
}

/** Quotas, and their use in the open windows. */
export function LimitsPage({ organizations }: { organizations: readonly OrganizationLimits[] }) {
  return (
    <Layout title="Quotas and rate limits" at={limitsAddress} live={limitsAddress}>
      {organizations.map(({ id, quotas, windows }) => {
        const address = `${limitsAddress}/${encodeURIComponent(id)}`
        return (
          <section key={id} aria-labelledby={`limits-of-${id}`}>
            <h2 id={`limits-of-${id}`}>{id}</h2>
            <PostForm action={address} label={`Quotas of ${id}`} class="">
              <div class="dials">
                {policies.map(({ name, windowSeconds, unit }) => (
                  <Field
                    key={name}
                    name={name}
                    label={`${name}: ${unit ?? 'request'}s per ${windowSeconds === 60 ? 'minute' : 'day'}`}
                    type="number"
                    min={0}
                    value={quotas[name]}
                    isRequired
                    within={id}
                  />
                ))}
              </div>
              <p>
                <button type="submit" class="act">
                  Save the quotas of {id}
                </button>
              </p>
            </PostForm>
            <LivePart name={`windows-${id}`}>
              <Table
                caption={`Open windows of ${id}`}
                empty="No open window: all quotas are unused."
                rows={windows}
                columns={[
                  { name: 'Policy', show: ({ policy }) => policy },
                  { name: 'Endpoint', show: ({ operation }) => operation ?? 'all' },
                  { name: 'Used', kind: 'number', show: ({ used }) => count(used) },
                  { name: 'Quota', kind: 'number', show: ({ policy }) => count(quotas[policy]) },
                  { name: 'Ends', show: ({ endsAt }) => <Moment at={endsAt} /> },
                ]}
              />
            </LivePart>
            <ButtonForm action={`${address}/reset`} label={`Reset the windows: ${id}`}>
              Reset the windows
            </ButtonForm>
          </section>
        )
      })}
    </Layout>
  )
}

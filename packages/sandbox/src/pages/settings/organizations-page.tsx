import { Table } from '@pawl/base/pages/table'
import type { Controls } from '../../controls.ts'
import { eventTypes } from '../../webhooks/settings.ts'
import { ButtonForm, Check, Choice, Field, PostForm } from '../form.tsx'
import { Layout } from '../sandbox-layout.tsx'

type ShownOrganization = ReturnType<Controls['listOrganizations']>[number]

/** Path of the organizations page. */
export const organizationsAddress = '/_sandbox/pages/organizations'

/** Settings, webhooks and tokens of all organizations. */
export function OrganizationsPage({ organizations }: { organizations: readonly ShownOrganization[] }) {
  return (
    <Layout title="Organizations" at={organizationsAddress}>
      <p>Each is a customer of the service and sees only its own cases. The first is the default one.</p>
      {organizations.map((organization) => (
        <OrganizationPart key={organization.id} organization={organization} />
      ))}
      <h2>Another organization</h2>
      <PostForm action={organizationsAddress} label="Another organization">
        <Field name="id" label="Id" isRequired />
        <button type="submit">Add it</button>
      </PostForm>
    </Layout>
  )
}

function OrganizationPart({ organization }: { organization: ShownOrganization }) {
  const { id, webhooks } = organization
  const address = `${organizationsAddress}/${encodeURIComponent(id)}`
  const limit = (value: number) => (value === Infinity ? undefined : value)
  return (
    <section aria-labelledby={`organization-${id}`}>
      <h2 id={`organization-${id}`}>{id}</h2>
      <PostForm action={address} label={`Settings of ${id}`} class="stack">
        <Choice
          name="workflow"
          label="Workflow"
          within={id}
          value={organization.workflow}
          options={[
            ['delegated', 'delegated: the service reviews and submits'],
            ['non_delegated', 'non-delegated: PAs wait for a review'],
          ]}
        />
        <Check
          name="manual_review"
          label="PAs wait for a manual review here"
          isOn={organization.manualReview}
          within={id}
        />
        <Check name="api_access" label="API access" isOn={organization.apiAccess} within={id} />
        <Check
          name="pharmacy"
          label="Pharmacy: may request provider outreach"
          isOn={organization.pharmacy}
          within={id}
        />
        <Check
          name="requires_provider_authorization"
          label="Providers must sign an authorization"
          isOn={organization.requiresProviderAuthorization}
          within={id}
        />
        <Field
          name="daily_prior_auth_limit"
          label="Max PAs per day (empty: no limit)"
          type="number"
          min={0}
          value={limit(organization.dailyPriorAuthLimit)}
          within={id}
        />
        <Field
          name="daily_new_plan_limit"
          label="Max new plans per day (empty: no limit)"
          type="number"
          min={0}
          value={limit(organization.dailyNewPlanLimit)}
          within={id}
        />
        <button type="submit" class="act">
          Save the settings of {id}
        </button>
      </PostForm>
      <Table
        caption={`Webhooks of ${id}`}
        empty="No webhooks: no event is delivered."
        rows={webhooks}
        columns={[
          { name: 'Name', show: ({ name }) => name },
          { name: 'Goes to', kind: 'id', show: ({ url }) => url },
          {
            name: 'Events',
            kind: 'wide',
            show: ({ events }) => (events === 'all' ? 'all except types on request' : events.join(', ')),
          },
          { name: 'Enabled', show: ({ enabled }) => (enabled ? 'yes' : <span class="warn">no</span>) },
          {
            name: 'Actions',
            show: ({ name, enabled }) => (
              <div class="actions">
                <ButtonForm
                  action={`${address}/webhooks/switch`}
                  fields={{ name, to: enabled ? 'off' : 'on' }}
                  label={`Switch ${enabled ? 'off' : 'on'} ${name} of ${id}`}
                >
                  Switch {enabled ? 'off' : 'on'}
                </ButtonForm>
                <ButtonForm
                  action={`${address}/webhooks/remove`}
                  fields={{ name }}
                  label={`Remove ${name} of ${id}`}
                  tone="bad"
                >
                  Remove
                </ButtonForm>
              </div>
            ),
          },
        ]}
      />
      <details id={`webhook-of-${id}`}>
        <summary>Add or replace a webhook</summary>
        <PostForm action={`${address}/webhooks`} label={`Webhook of ${id}`} class="stack">
          <Field name="name" label="Name" value="default" isRequired within={`${id}-webhook`} />
          <Field name="url" label="Goes to" type="url" isRequired within={`${id}-webhook`} />
          <Field name="secret" label="Secret, 32 characters or more (empty: unchanged)" within={`${id}-webhook`} />
          <fieldset>
            <legend>Events (none chosen: all except types on request)</legend>
            {eventTypes.map((type) => (
              <div key={type}>
                <label class="check" for={`${id}-${type}`}>
                  <input id={`${id}-${type}`} type="checkbox" name="events" value={type} />
                  {type}
                </label>
              </div>
            ))}
          </fieldset>
          <Check name="enabled" label="Enabled" isOn within={`${id}-webhook`} />
          <Check name="body_digest" label="Sign a digest of the body" isOn={false} within={`${id}-webhook`} />
          <button type="submit">Save the webhook</button>
        </PostForm>
      </details>
      <ButtonForm action={`${address}/tokens`} label={`Create an API token of ${id}`}>
        Create an API token
      </ButtonForm>
    </section>
  )
}

/** A new token, shown only once. */
export function TokenPage({ organization, token }: { organization: string; token: string }) {
  return (
    <Layout title="An API token" at={organizationsAddress}>
      <p role="status">
        A token of <strong>{organization}</strong>. It is shown only once; copy it now.
      </p>
      <p>
        <code class="token" tabIndex={0}>
          {token}
        </code>
      </p>
      <h2>Revoke</h2>
      <ButtonForm action={`${organizationsAddress}/revoke`} fields={{ token }}>
        Revoke this token
      </ButtonForm>
      <p>
        <a href={organizationsAddress}>Back to the organizations</a>
      </p>
    </Layout>
  )
}

import { Check, Choice, Field, PostForm } from '../form.tsx'
import { Layout } from '../sandbox-layout.tsx'
import { controlsAddress } from '../controls/controls-page.tsx'
import { createPaths, type Example } from './examples.ts'

interface CreatePageProps {
  examples: readonly Example[]
  /** Organization ids, the default one first. */
  organizations: readonly string[]
}

const address = '/_sandbox/pages/create'

/** Creates cases from a small form or from an example. */
export function CreatePage({ examples, organizations }: CreatePageProps) {
  return (
    <Layout title="Create a case" at={address}>
      <p>Requests go to the endpoints as from an application, so planned failures, quotas and chaos apply.</p>
      <h2>A prior authorization</h2>
      <PostForm action={`${address}/prior-authorization`} label="A prior authorization" class="stack">
        <Field name="drug" label="Drug" value="Examplumab" isRequired />
        <Choice
          name="result"
          label="Outcome"
          options={[['', 'left to chance'], 'Approved', 'Denied', 'Not Submitted', 'Other']}
        />
        <Check name="transfer" label="Transfer the prescription to a pharmacy after approval" isOn={false} />
        <Check
          name="outreach"
          label="Provider outreach to the prescriber (pharmacies only, outcome left to chance)"
          isOn={false}
        />
        <Organizations ids={organizations} within="form" />
        <button type="submit" class="act">
          Create
        </button>
      </PostForm>
      <h2>From an example</h2>
      <ul class="cards">
        {examples.map(({ name, title, path }) => (
          <li key={name}>
            <h3>{title}</h3>
            <p class="faint">
              <code>POST {path}</code>
            </p>
            <PostForm action={`${address}/example`} label={title}>
              <input type="hidden" name="example" value={name} />
              <Organizations ids={organizations} within={name} />
              <button type="submit" class="act" aria-label={`Create: ${title}`}>
                Create
              </button>
              <a class="button" href={`${address}/edit?example=${name}`} aria-label={`Edit first: ${title}`}>
                Edit first
              </a>
            </PostForm>
          </li>
        ))}
      </ul>
    </Layout>
  )
}

interface EditPageProps {
  path: string
  body: string
  organizations: readonly string[]
  /** The chosen organization. */
  organization?: string | undefined
  /** The refusal of this request, if it was sent. */
  refusal?: CreateAnswer & { jsonFault: string | undefined }
}

/** A request as JSON, to edit before sending or after a refusal. */
export function EditPage({ path, body, organizations, organization, refusal }: EditPageProps) {
  return (
    <Layout title={refusal === undefined ? 'Edit a request' : titleOf(refusal)} at={address}>
      {refusal !== undefined && <Refusal {...refusal} />}
      <PostForm action={`${address}/own`} label="Request" class="stack">
        <Choice
          name="path"
          label="Endpoint"
          options={createPaths.map((one) => [one, `POST ${one}`] as const)}
          value={path}
        />
        <div class="full">
          <label for="body">Body</label>
          <textarea
            id="body"
            class="code"
            name="body"
            required
            spellcheck={false}
            {...(refusal?.jsonFault !== undefined && { 'aria-invalid': true, 'aria-describedby': 'json-fault' })}
          >
            {body}
          </textarea>
        </div>
        <Organizations ids={organizations} within="own" chosen={organization} />
        <button type="submit" class="act">
          Send
        </button>
      </PostForm>
      {refusal === undefined ? (
        <p>
          <a href={address}>Back to creating a case</a>
        </p>
      ) : (
        <WhereToGo />
      )}
    </Layout>
  )
}

interface OrganizationsProps {
  ids: readonly string[]
  within: string
  chosen?: string | undefined
}

function Organizations({ ids, within, chosen }: OrganizationsProps) {
  const [only, ...others] = ids
  if (others.length === 0) return <input type="hidden" name="organization" value={only} />
  return <Choice name="organization" label="Organization" options={ids} within={within} value={chosen} />
}

/** The service's answer to a create; no status without an answer. */
interface CreateAnswer {
  status: number | undefined
  text: string
}

/** The service refused an example, or did not answer. */
export function RefusedPage(answer: CreateAnswer) {
  return (
    <Layout title={titleOf(answer)} at={address}>
      <Refusal {...answer} />
      <WhereToGo />
    </Layout>
  )
}

const titleOf = ({ status }: CreateAnswer) => (status === undefined ? 'No answer' : `Refused with ${status}`)

function Refusal({ text, jsonFault }: CreateAnswer & { jsonFault?: string | undefined }) {
  return (
    <>
      <p class="note bad" role="alert">
        {jsonFault !== undefined && <span id="json-fault">The body is not JSON: {jsonFault}. </span>}
        No case was created. The service answered:
      </p>
      <pre tabIndex={0} role="region" aria-label="Answer">
        <code>{text}</code>
      </pre>
    </>
  )
}

function WhereToGo() {
  return (
    <p>
      <a href={address}>Back to creating a case</a>, or to the <a href={controlsAddress}>controls</a>, which plan
      failures and set quotas and chaos.
    </p>
  )
}

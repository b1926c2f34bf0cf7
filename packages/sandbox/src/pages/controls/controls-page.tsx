import { queryOf } from '@pawl/base/pages/query'
import type { Control } from '../../platform/control.ts'
import { Layout } from '../sandbox-layout.tsx'
import { type FormField, nameOfField, shownValue } from './control-fields.ts'

export const controlsAddress = '/_sandbox/pages/controls'

/** The name of a control, such as `PUT /chaos`. */
export const nameOfControl = ({ method, path }: Control): string => `${method.toUpperCase()} ${path}`

/** The page of a control's forms. */
export const addressOfControl = (name: string): string => `${controlsAddress}/form${queryOf({ control: name })}`

/** All controls, grouped by subject. */
export function ControlsPage({ controls }: { controls: readonly Control[] }) {
  const groups = [...new Set(controls.map(groupOf))]
  return (
    <Layout title="Controls" at={controlsAddress}>
      <p>
        What can be set, shown and caused by hand. Each is also a call: <a href="/_sandbox/openapi.json">OpenAPI</a>.
      </p>
      {groups.map((group) => (
        <section key={group} aria-labelledby={`group-${group}`}>
          <h2 id={`group-${group}`}>{group}</h2>
          <ul>
            {controls
              .filter((one) => groupOf(one) === group)
              .map((one) => (
                <li key={nameOfControl(one)}>
                  <a href={addressOfControl(nameOfControl(one))}>{one.text.summary}</a>{' '}
                  <code class="faint">{nameOfControl(one)}</code>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </Layout>
  )
}

const groupOf = ({ path }: Control): string => path.split('/')[1]?.replaceAll('-', ' ') ?? ''

interface ControlPageProps {
  control: Control
  /** Parameters of the path, with known values. */
  parameters: Readonly<Record<string, string>>
  query: readonly FormField[]
  /** One for each alternative of the body. */
  forms: readonly (readonly FormField[])[]
  /** The current value, if a control shows it. */
  current?: unknown
  organizations: readonly string[]
  answer?: { status: number | undefined; text: string }
}

/** The forms of one control, and its answer. */
export function ControlPage(props: ControlPageProps) {
  const { control, parameters, query, forms, current, organizations, answer } = props
  const name = nameOfControl(control)
  const address = addressOfControl(name)
  const names = Object.keys(parameters)
  return (
    <Layout title={control.text.summary} at={controlsAddress}>
      <p>
        <code>{name.replace(' ', ' /_sandbox')}</code>
      </p>
      {answer !== undefined && <Answer {...answer} />}
      {control.method !== 'get' && names.length > 0 && forms.some((fields) => fields.length > 0) && (
        <form method="get" action={`${controlsAddress}/form`} class="row" aria-label="Current values">
          <input type="hidden" name="control" value={name} />
          <Parameters {...{ parameters, organizations }} within="current" />
          <button type="submit">Fill in what is set now</button>
        </form>
      )}
      {forms.map((fields, index) => (
        <form
          key={index}
          method="post"
          action={address}
          class="stack"
          aria-label={forms.length > 1 ? `${control.text.summary}, ${index + 1}` : control.text.summary}
        >
          <input type="hidden" name="form" value={index} />
          <Parameters {...{ parameters, organizations }} within={`form-${index}`} />
          {[...query, ...fields].map((field) => (
            <FieldOf
              key={nameOfField(field)}
              field={field}
              value={shownValue(current, field)}
              within={`form-${index}`}
            />
          ))}
          <button type="submit" class={control.method === 'delete' || control.path === '/reset' ? 'bad' : 'act'}>
            {control.method === 'get' ? 'Show' : 'Send'}
          </button>
        </form>
      ))}
      <p>
        <a href={controlsAddress}>All controls</a>
      </p>
    </Layout>
  )
}

function Answer({ status, text }: { status: number | undefined; text: string }) {
  const isDone = status !== undefined && status < 300
  return (
    <>
      <p class={isDone ? 'note' : 'note bad'} role={isDone ? 'status' : 'alert'}>
        {isDone ? 'Done.' : `Refused with ${status ?? 'no answer'}.`}
      </p>
      <pre tabIndex={0} role="region" aria-label="Answer">
        <code>{text}</code>
      </pre>
    </>
  )
}

function Parameters(props: {
  parameters: ControlPageProps['parameters']
  organizations: readonly string[]
  within: string
}) {
  return Object.entries(props.parameters).map(([name, value]) => {
    const values = name === 'organization' ? props.organizations : []
    const field: FormField = { path: [name], kind: 'text', isRequired: true, values }
    return <FieldOf key={name} field={field} name={`path.${name}`} value={value} within={props.within} />
  })
}

interface FieldOfProps {
  field: FormField
  value: string
  /** Distinguishes fields of the same name on a page. */
  within: string
  name?: string
}

function FieldOf({ field, value, within, name = nameOfField(field) }: FieldOfProps) {
  const { path, kind, isRequired, values, min, max } = field
  const id = `${within}-${name}`
  const input = { id, name, required: isRequired, autocomplete: 'off' } as const
  const hasList = kind !== 'choice' && values.length > 0
  return (
    <div class="full">
      <label for={id}>
        {path.join(', ').replaceAll('_', ' ') || 'Body'}
        {kind === 'json' && ' (JSON, or text)'}
      </label>
      {kind === 'choice' && (
        <select id={id} name={name} required={isRequired}>
          {['', ...values].map((one) => (
            <option key={one} value={one} selected={one === value}>
              {one}
            </option>
          ))}
        </select>
      )}
      {kind === 'number' && <input type="number" {...input} {...{ min, max }} step="any" value={value} />}
      {kind === 'text' && <input type="text" {...input} value={value} list={hasList ? `${id}-values` : undefined} />}
      {kind === 'json' && (
        <textarea id={id} name={name} required={isRequired} rows={value.length > 60 ? 8 : 2} spellcheck={false}>
          {value}
        </textarea>
      )}
      {hasList && (
        <datalist id={`${id}-values`}>
          {values.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </div>
  )
}

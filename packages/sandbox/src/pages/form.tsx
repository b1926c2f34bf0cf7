import type { ComponentChildren } from 'preact'

interface PostFormProps {
  action: string
  /** Accessible name, for pages with similar forms. */
  label?: string
  class?: string
  children: ComponentChildren
}

/** A form that makes a change. */
export function PostForm({ action, label, children, ...rest }: PostFormProps) {
  return (
    <form method="post" action={action} aria-label={label} class={rest.class ?? 'row'}>
      {children}
    </form>
  )
}

interface ButtonFormProps {
  action: string
  /** Button text. */
  children: ComponentChildren
  fields?: Record<string, string>
  label?: string
  /** The main action, or one that destroys. */
  tone?: 'act' | 'bad'
}

/** A form of a single button. */
export function ButtonForm({ action, children, fields = {}, label, tone }: ButtonFormProps) {
  return (
    <form method="post" action={action} class="inline">
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={tone} aria-label={label}>
        {children}
      </button>
    </form>
  )
}

interface FieldProps {
  name: string
  label: string
  type?: 'text' | 'number' | 'url'
  value?: string | number | undefined
  isRequired?: boolean
  min?: number
  max?: number
  step?: number | 'any'
  /** Distinguishes fields of the same name on a page. */
  within?: string
}

/** A one-line field. */
export function Field({ name, label, type = 'text', value, isRequired = false, within = '', ...range }: FieldProps) {
  const id = idOf(name, within)
  const input = { id, name, value, required: isRequired, autocomplete: 'off' }
  return (
    <div>
      <label for={id}>{label}</label>
      {type === 'number' && <input type="number" {...input} {...range} />}
      {type === 'url' && <input type="url" {...input} />}
      {type === 'text' && <input type="text" {...input} />}
    </div>
  )
}

interface ChoiceProps {
  name: string
  label: string
  /** Values, or values with labels. */
  options: readonly (string | readonly [value: string, shown: string])[]
  value?: string | undefined
  within?: string
}

/** A choice of one value. */
export function Choice({ name, label, options, value, within = '' }: ChoiceProps) {
  const id = idOf(name, within)
  return (
    <div>
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options.map((option) => {
          const [given, shown] = typeof option === 'string' ? [option, option] : option
          return (
            <option key={given} value={given} selected={given === value}>
              {shown}
            </option>
          )
        })}
      </select>
    </div>
  )
}

/** A checkbox. */
export function Check({
  name,
  label,
  isOn,
  within = '',
}: {
  name: string
  label: string
  isOn: boolean
  within?: string
}) {
  const id = idOf(name, within)
  return (
    <div>
      <label class="check" for={id}>
        <input id={id} type="checkbox" name={name} value="yes" checked={isOn} />
        {label}
      </label>
    </div>
  )
}

const idOf = (name: string, within: string) => (within === '' ? name : `${within}-${name}`)

interface SelectProps {
  name: string
  label: string
  value: string | undefined
  /** Values, or values with labels. */
  options: readonly (string | readonly [string, string])[]
}

/** A filter's select, with "any" first. A value that no longer exists stays selected, so that a permalink keeps its meaning. */
export function Select({ name, label, value, options }: SelectProps) {
  const all = options.map((option) => (typeof option === 'string' ? ([option, option] as const) : option))
  const isMissing = value !== undefined && value !== '' && all.every(([known]) => known !== value)
  return (
    <div>
      <label for={`filter-${name}`}>{label}</label>
      <select id={`filter-${name}`} name={name}>
        <option value="">any</option>
        {[...all, ...(isMissing ? [[value, value] as const] : [])].map(([option, shown]) => (
          <option key={option} value={option} selected={option === value}>
            {shown}
          </option>
        ))}
      </select>
    </div>
  )
}

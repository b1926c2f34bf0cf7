interface TextFilterProps {
  name: string
  label: string
  value: string | undefined
}

/** A filter's text field. */
export function TextFilter({ name, label, value }: TextFilterProps) {
  return (
    <div>
      <label for={`filter-${name}`}>{label}</label>
      <input id={`filter-${name}`} name={name} type="text" value={value} maxLength={200} />
    </div>
  )
}

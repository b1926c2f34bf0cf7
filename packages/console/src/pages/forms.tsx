import type { ComponentChildren } from 'preact'
import { maxReason, minReason } from '../contract/reason.ts'
import { FormToken } from './viewer.tsx'

interface PostFormProps {
  action: string
  /** Name of the form for screen readers. */
  label: string
  id?: string
  /** Hidden fields; undefined ones are left out. */
  fields?: Readonly<Record<string, string | number | undefined>> | undefined
  isInline?: boolean
  /** Keeps the browser from storing the fields. */
  isPrivate?: boolean
  children: ComponentChildren
}

/** A form that changes something, with the token of its viewer. */
export function PostForm({ action, label, id, fields, isInline, isPrivate, children }: PostFormProps) {
  return (
    <form
      id={id}
      class={isInline ? 'inline' : undefined}
      method="post"
      action={action}
      aria-label={label}
      autocomplete={isPrivate ? 'off' : undefined}
    >
      <FormToken />
      <HiddenFields fields={fields} />
      {children}
    </form>
  )
}

interface FilterFormProps {
  /** Address of the list. */
  action: string
  fields?: PostFormProps['fields']
  children: ComponentChildren
}

/** The filter of a list, with a link to the whole list. */
export function FilterForm({ action, fields, children }: FilterFormProps) {
  return (
    <form class="filter" method="get" action={action} aria-label="Filter">
      {children}
      <HiddenFields fields={fields} />
      <button type="submit">Filter</button>
      <a href={action}>All</a>
    </form>
  )
}

function HiddenFields({ fields = {} }: { fields: PostFormProps['fields'] }) {
  return (
    <>
      {Object.entries(fields).map(
        ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
      )}
    </>
  )
}

/** The field for the reason of an act: as long as `Reason` allows. */
export function ReasonInput(
  named: ({ id: string } | { placeholder: string; 'aria-label': string }) & { value?: string },
) {
  return (
    <input
      name="reason"
      type="text"
      required
      minLength={minReason}
      maxLength={maxReason}
      autoComplete="off"
      {...named}
    />
  )
}

/** Attributes of an element that the page's script replaces with its newer version at `address`. */
export function refreshing(id: string, address: string, trigger: string) {
  return { id, 'hx-get': address, 'hx-select': `#${id}`, 'hx-trigger': trigger, 'hx-swap': 'outerHTML' }
}

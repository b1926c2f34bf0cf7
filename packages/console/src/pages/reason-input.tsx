import { maxReason, minReason } from '../contract/reason.ts'

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

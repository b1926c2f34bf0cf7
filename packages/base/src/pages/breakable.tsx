import { Fragment } from 'preact'

/** A name that wraps only after its underscores and dots. */
export function Breakable({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=[_.])/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  )
}

import { PawlError, type Retry } from '@pawl/base/errors'
import { PackageMissing } from '@pawl/base/optional-packages'
import { createErrorCodec } from '@pawl/base/threads/create-error-codec'

/** The thread that makes PDFs ended before this one was made: the next one starts another. */
export class PdfNotMade extends PawlError {
  readonly code = 'pdf_not_made'
  override readonly retry: Retry = 'backoff'
}

/** Carries errors from the thread that makes PDFs. */
export const pdfErrors = createErrorCodec({ PackageMissing: ({ message }) => new PackageMissing(message) })

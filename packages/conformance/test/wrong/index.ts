import { amountAndDayHandlers } from './amounts-and-days.ts'
import { attemptHandlers } from './attempts.ts'
import { calledOffHandlers } from './called-off.ts'
import { wrongPharmacies } from './connectors.ts'
import { findingAndDayHandlers } from './findings-and-days.ts'
import { furtherHandlers } from './further-handlers.ts'
import { goingOnHandlers } from './going-on.ts'
import { plainlyWrongHandlers } from './handlers.ts'
import { keyAndMemoryHandlers } from './keys-and-memory.ts'
import { listAndValueHandlers } from './lists-and-values.ts'
import { momentHandlers } from './moments.ts'
import { passingOverHandlers } from './passed-over.ts'
import { secondVisitHandlers } from './second-visits.ts'
import { takenBackHandlers } from './taken-back.ts'
import { unknownEndHandlers } from './unknown-ends.ts'
import { unreadAnswerHandlers } from './unread-answers.ts'

/** Handlers that are wrong, by the name of their fault. */
export const wrongHandlers = {
  ...plainlyWrongHandlers,
  ...furtherHandlers,
  ...secondVisitHandlers,
  ...passingOverHandlers,
  ...unreadAnswerHandlers,
  ...listAndValueHandlers,
  ...unknownEndHandlers,
  ...goingOnHandlers,
  ...keyAndMemoryHandlers,
  ...calledOffHandlers,
  ...amountAndDayHandlers,
  ...findingAndDayHandlers,
  ...momentHandlers,
  ...takenBackHandlers,
  ...attemptHandlers,
}

export { wrongPharmacies }

/** The name of a fault of a handler, or of the connector of the pharmacy. */
export type Fault = keyof typeof wrongHandlers | keyof typeof wrongPharmacies

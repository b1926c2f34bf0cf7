import { z } from 'zod'

const codes =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR VI'

/** Postal codes of the states, the federal district and the territories. */
export const usState = z.enum(codes.split(' '))

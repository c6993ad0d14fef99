"""Figures of results: `count.count(records)` gives a `Result` for each model, task and
condition, whose figures are asked for by the key of a measure and a place.

Keys of `get`, `value`, `count` and `all` (with what names one of several figures):

- outcomes: `correct`, `deviate`, `nan`, `cheat`, `unanswered`, `measured`,
  `correct_percentage` and so on, `stratum` (by a name, at a value; n is measured)
- truncated replies: `correct_without_truncated`
- repeats: `repeats`, `consistency`, `same_reply`, `same_outcome`, `noise`, `pass_at_1`,
  `pass_at_k`, `majority`
- replies: `replies`, `stored`, `batched`, `asked`, `unpriced`, `nan_reason` and
  `unanswered_reason` (at a reason); `cost_usd`, `latency_s`, `prompt_tokens`,
  `completion_tokens`, `reasoning_tokens` (at `sum`, `median` or `p90`; n is known)
- numbers: `average_absolute_error`, `median_relative_error`, `median_leading_digits`,
  `other_length`, `rounded`, `digit_match`, `dlength`, `tolerant_correct`,
  `strict_correct`, `error_class` and `error_class_percentage` (at a class),
  `wrong_digits` (by `from_left` or `from_right`, at a position; n is digits)
- scores: `score`, `perfect`, `perfect_percentage` (at a name), `score_by_rank` (by a
  name, at a rank), `unsolved`
- depths: `ninety_percent_to` (low is shown, high is possible), `d50`, `d50_place`,
  `d50_first`, `d50_last`, `d50_fit` at a variant (or the whole of a task without
  variants), and `adaptive_d50` and so on, at a variant's name, in the whole;
  `adaptive_d50_ended`, `breaking_points`

Tasks bring measures of their own.

Keys of `examples`: `first_wrong`, `unsolved`, `breaking_points`, `alarm`.
"""

-- Messages with their payload, parsed once, as the contract's fields.
SELECT *, JSONExtract(raw, {fields:String}) AS field FROM message;

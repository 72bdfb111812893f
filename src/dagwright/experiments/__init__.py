"""Studies that learn many times: cross validation, sensitivity, consistency, overfitting."""

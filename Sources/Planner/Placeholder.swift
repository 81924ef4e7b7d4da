package enum PlannerPlaceholder {}

module veridice

go 1.26

module claimkit.invalid/oracle

go 1.26
